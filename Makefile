# Every target sets up what it needs; `make help` lists them.

# More workers than cores, because much of it waits; what takes longest first.
# Each worker would compile every test again if the user's Python kept no byte code.
PYTEST = PYTHONDONTWRITEBYTECODE= scripts/run pytest --numprocesses=4 --dist=loadgroup --no-loadscope-reorder

# What `setup` installs, in an order that lets `make test` install several parts at once.
PARTS = setup-uv setup-browsers setup-python setup-node

.PHONY: $(PARTS) help pictures test tests bytecode setup lint types js unit e2e proxy weights coverage format demo bench apps dev dist firefox soak clean

help: ## print this list
	@sed -n 's/^\([a-z][a-z0-9]*\):[^#]*## /  make \1	/p' Makefile | expand -t 16

test: ## all checks, and all tests except the slow ones
	@$(MAKE) --no-print-directory --jobs=4 lint types js tests

# After the fastest check, whose failure would otherwise be seen ten minutes later.
tests: setup lint bytecode
	$(PYTEST)

# On a fresh machine each worker would compile the same files; now it is done once, while npm installs.
bytecode: setup-python
	@[ -d tests/__pycache__ ] || PYTHONDONTWRITEBYTECODE= scripts/run pytest --quiet --collect-only >/dev/null 2>&1 || true

setup: $(PARTS) ## install what is missing

$(PARTS): setup-%:
	@scripts/setup $*

# The first part may need apt-get, which takes one caller at a time; uv makes .venv, which brings npm.
setup-browsers setup-python: setup-uv
setup-node: setup-python

lint: setup-python ## check Python format and lint, and the files that GitHub reads
	scripts/run ruff format --check
	scripts/run ruff check
	PYTHONPATH=. scripts/run lint-imports --no-cache
	scripts/words
	scripts/run check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	scripts/run check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/idea.yml

# With room for more young objects, Node collects garbage less often.
types: setup-python ## check Python types
	NODE_OPTIONS=--max-semi-space-size=64 scripts/run basedpyright

js: setup-node ## check JavaScript format, lint and types
	scripts/run npm run --silent check

unit: setup ## tests without browser and model
	$(PYTEST) -m "not e2e and not proxy"

e2e: setup ## tests in a real browser, with a real model
	$(PYTEST) -m e2e

proxy: setup ## tests with a real LiteLLM proxy in front of two model servers
	@scripts/setup proxy
	scripts/run pytest -m proxy tests/reader/test_litellm.py

weights: setup ## all tests, recording how long each file takes, so that the slowest start first
	$(PYTEST) --write-seconds

coverage: setup ## lines and branches that the tests run, in Python and JavaScript; ONLY="files" selects some
	scripts/run python -m scripts.coverage_report $(ONLY)

format: setup ## format all files and apply safe lint fixes
	scripts/run ruff format
	scripts/run ruff check --fix

demo: ## an answer about a page in a real browser; URL=... and PROMPT=... choose the page and the prompt
	@scripts/setup base
	@scripts/run uv run --quiet demo/demo.py --url "$$URL" --prompt "$$PROMPT"

bench: setup ## measurements, as ratios; ONLY="start size" selects some
	scripts/run python -m bench.run $(ONLY)

apps: setup ## tasks in seven real programs from PyPI and npm, with figures; ONLY="gradio mlflow" selects some
	scripts/run python -m bench.apps $(ONLY)

soak: setup ## stress test: connections without a key, faults and load; SECONDS=180 SERVERS=20 make the last part longer
	scripts/run python -m bench.soak $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SERVERS),--servers $(SERVERS))

dev: setup ## a browser and a server for development: each change restarts the server or reloads the extension
	scripts/run python -m scripts.dev $(URL)

dist: setup ## build the package, the MCP bundle, the extensions for the store and for Firefox, and server.json into dist/
	PYTHONPATH=packaging scripts/run python -m scripts.dist dist
	scripts/run npm exec --yes --no-update-notifier --package=@anthropic-ai/claude-code@2 -- claude plugin validate --strict .

firefox: setup ## build only the extension for Firefox into dist/
	PYTHONPATH=packaging scripts/run python -m scripts.dist --firefox dist

pictures: setup ## take the pictures for the documents from the real programs; ONLY="popup options" selects some
	scripts/run python scripts/pictures.py $(ONLY)

clean: ## remove what setup has created in this folder
	rm -rf .venv node_modules dist .pytest_cache .ruff_cache
