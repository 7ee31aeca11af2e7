# Every target sets up what it needs; `make help` lists them.

# More workers than cores, because much of it waits; what takes longest first.
# Each worker would compile every test again if the user's Python kept no byte code.
PYTEST = PYTHONDONTWRITEBYTECODE= scripts/run pytest --numprocesses=4 --dist=loadgroup --no-loadscope-reorder

.PHONY: help pictures test tests setup lint types js unit e2e weights coverage format demo bench apps dev dist firefox soak clean

help: ## this list
	@sed -n 's/^\([a-z][a-z0-9]*\):[^#]*## /  make \1	/p' Makefile | expand -t 16

test: lint ## every check, and every test except those that take long
	@$(MAKE) --no-print-directory --jobs=3 types js tests

tests: setup
	$(PYTEST)

setup: ## install what is missing
	@scripts/setup

lint: setup ## Python format and lint, and the form of what GitHub reads
	scripts/run ruff format --check
	scripts/run ruff check
	PYTHONPATH=. scripts/run lint-imports --no-cache
	scripts/words
	scripts/run check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	scripts/run check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/idea.yml

types: setup ## Python types
	scripts/run basedpyright

js: setup ## JavaScript format, lint and types
	scripts/run npm run --silent check

unit: setup ## tests without browser and model
	$(PYTEST) -m "not e2e"

e2e: setup ## tests in a real browser, with a real model
	$(PYTEST) -m e2e

weights: setup ## all tests, and note how long each file takes: the heaviest start first
	$(PYTEST) --write-seconds

coverage: setup ## which lines and branches the tests run, in Python and in JavaScript; ONLY="files" runs some
	scripts/run python -m scripts.coverage_report $(ONLY)

format: setup ## write the format and the safe lint fixes
	scripts/run ruff format
	scripts/run ruff check --fix

demo: ## an answer about a page in a real browser; URL=... PROMPT=... choose another
	@scripts/setup base
	@scripts/run uv run --quiet demo/demo.py --url "$$URL" --prompt "$$PROMPT"

bench: setup ## measurements, as ratios; ONLY="start size" does some
	scripts/run python -m bench.run $(ONLY)

apps: setup ## tasks in seven real programs from PyPI and npm, with figures; ONLY="gradio mlflow" takes some
	scripts/run python -m bench.apps $(ONLY)

soak: setup ## strangers, faults and load, with figures; SECONDS=180 SERVERS=20 make the last part longer
	scripts/run python -m bench.soak $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SERVERS),--servers $(SERVERS))

dev: setup ## a browser and a server that follow the files: each change starts the server or loads the extension again
	scripts/run python -m scripts.dev $(URL)

dist: setup ## the package, the MCP bundle, the extension for the store and for Firefox, and server.json, into dist/
	PYTHONPATH=packaging scripts/run python -m scripts.dist dist
	scripts/run npm exec --yes --package=@anthropic-ai/claude-code@2 -- claude plugin validate --strict .

firefox: setup ## the extension for Firefox alone, into dist/
	PYTHONPATH=packaging scripts/run python -m scripts.dist --firefox dist

pictures: setup ## the pictures of the documents, from the real thing; ONLY="popup options" takes some
	scripts/run python scripts/pictures.py $(ONLY)

clean: ## remove what setup made in this folder
	rm -rf .venv node_modules dist .pytest_cache .ruff_cache
