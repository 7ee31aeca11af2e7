# /// script
# requires-python = ">=3.11"
# dependencies = ["scikit-learn>=1.5,<2"]
# ///
# pyright: basic, reportMissingImports=false
"""Learn the weights of extension/page/main-content/block-model.js, and print them.

    python -m bench.main_content FOLDER --blocks blocks.json
    uv run bench/learn_main_content.py FOLDER blocks.json

The second model judges a block by its own score and by the likelihoods around it. It is trained on scores of pages
that the first model has not seen, cross-validated by host. A block counts as content by the share of its four-word
sequences that are in the page's reviewed main content (`truth.jsonl`, `main_content`), weighted by its share of the
page's words, so that long pages do not outweigh others.
"""

import json
import re
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import StandardScaler

RUN = 4
MIN_PAGE_WORDS = 50
# Strength of the regularization, which keeps weights small.
REGULARITY = 0.01
FOLDS = 5
# As in block-model.js.
MAX_SCORE, NEAR, MAX_NEAR_CHARS = 6.9, 6, 400
CONTEXT = ("own", "previous", "near", "kind", "container", "page")


class Model(NamedTuple):
    """A logistic regression on features as they are."""

    weights: np.ndarray
    bias: float

    def scores(self, values: np.ndarray) -> np.ndarray:
        """Return the logarithmic odds of each row of values, clipped."""
        return np.clip(values @ self.weights + self.bias, -MAX_SCORE, MAX_SCORE)


class Example(NamedTuple):
    """A page's blocks with their features, shares of content and weights."""

    host: str
    blocks: list[dict]
    values: np.ndarray
    shares: np.ndarray
    weights: np.ndarray


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def runs(found: list[str], length: int) -> set[str]:
    return {" ".join(found[i : i + length]) for i in range(len(found) - length + 1)}


def share_in(block: list[str], known: dict[int, set[str]], lines: set[str]) -> float:
    """Return the share of a block that is in the content; one or two words alone prove little."""
    length = min(RUN, len(block))
    own = [" ".join(block[i : i + length]) for i in range(len(block) - length + 1)]
    share = sum(run in known[length] for run in own) / len(own)
    return share if len(block) > 2 or " ".join(block) in lines else share / 2  # noqa: PLR2004


def examples(folder: Path, blocks: dict[str, list[dict]]) -> list[Example]:
    """Return each page that has blocks and content."""
    found = []
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").strip().split("\n"):
        truth = json.loads(line)
        content = words(truth["main_content"])
        known = {length: runs(content, length) for length in range(1, RUN + 1)}
        lines = {" ".join(words(each)) for each in truth["main_content"].split("\n")}
        page = [block for block in blocks.get(truth["id"], []) if words(block["text"])]
        if not content or not page:
            continue
        counts = np.array([len(words(block["text"])) for block in page])
        values = np.array([[float(value) for value in block["features"].values()] for block in page])
        shares = np.array([share_in(words(block["text"]), known, lines) for block in page])
        host = urlsplit(truth["url"] or truth["id"]).hostname or truth["id"]
        found.append(Example(host, page, values, shares, counts / max(MIN_PAGE_WORDS, counts.sum())))
    return found


def learn(pages: list[Example], values: list[np.ndarray]) -> Model:
    """Fit a model to values of the pages' blocks."""
    shares, weights = (np.concatenate([page[i] for page in pages]) for i in (3, 4))
    scaler = StandardScaler().fit(np.concatenate(values))
    # Each block is an example of content with its share as weight, and a counterexample with the rest.
    twice = np.vstack([scaler.transform(np.concatenate(values))] * 2)
    labels = np.r_[np.ones(len(shares)), np.zeros(len(shares))]
    importance = np.r_[weights * shares, weights * (1 - shares)]
    model = LogisticRegression(C=REGULARITY, max_iter=300)
    model.fit(twice, labels, sample_weight=importance * len(importance) / importance.sum())
    coefficients = model.coef_[0] / np.where(scaler.scale_ > 0, scaler.scale_, 1)
    return Model(coefficients, float(model.intercept_[0] - coefficients @ scaler.mean_))


def means_by(keys: list, weights: np.ndarray, likelihoods: np.ndarray) -> np.ndarray:
    """Return for each block the mean likelihood of those with the same key."""
    _, group = np.unique(keys, return_inverse=True)
    return (np.bincount(group, weights * likelihoods) / np.maximum(np.bincount(group, weights), 1))[group]


def around(page: Example, scores: np.ndarray) -> np.ndarray:
    """Return what the second model looks at, as block-model.js computes it."""
    likelihoods = 1 / (1 + np.exp(-scores))
    chars = np.array([len(block["text"]) for block in page.blocks], float)
    near = np.minimum(chars, MAX_NEAR_CHARS)
    windows = [slice(max(0, i - NEAR), i + NEAR + 1) for i in range(len(chars))]
    columns = {
        "own": scores,
        "previous": np.r_[0, likelihoods[:-1]],
        "near": np.array([near[each] @ likelihoods[each] / near[each].sum() for each in windows]),
        "kind": means_by([block["kind"] for block in page.blocks], chars, likelihoods),
        "container": means_by([block["container"] for block in page.blocks], chars, likelihoods),
        "page": np.full(len(chars), chars @ likelihoods / chars.sum()),
    }
    return np.column_stack([columns[name] for name in CONTEXT])


def learn_context(pages: list[Example]) -> Model:
    """Fit the second model to scores from models that have not seen the page's host."""
    found: dict[int, np.ndarray] = {}
    for seen, unseen in GroupKFold(FOLDS).split(pages, groups=[page.host for page in pages]):
        model = learn([pages[i] for i in seen], [pages[i].values for i in seen])
        found |= {i: around(pages[i], model.scores(pages[i].values)) for i in unseen}
    return learn(pages, [found[i] for i in range(len(pages))])


def main(folder: Path, blocks: Path) -> None:
    pages = examples(folder, json.loads(blocks.read_text(encoding="utf-8")))
    for names, model in (
        (list(pages[0].blocks[0]["features"]), learn(pages, [page.values for page in pages])),
        (CONTEXT, learn_context(pages)),
    ):
        print("".join(f"    {name}: {value:.3g},\n" for name, value in zip(names, model.weights, strict=True)), end="")
        print(f"  bias = {model.bias:.3g}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
