# /// script
# requires-python = ">=3.11"
# dependencies = ["scikit-learn>=1.5,<2"]
# ///
# pyright: basic, reportMissingImports=false
"""Learn the weights of extension/page/main-content/block-model.js, and print them.

    python -m bench.main_content FOLDER --blocks blocks.json
    uv run bench/learn_main_content.py FOLDER blocks.json

A block counts as content by the share of its four-word sequences that are in the page's reviewed main content
(`truth.jsonl`, `main_content`), weighted by its share of the page's words, so that long pages do not outweigh others.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

RUN = 4
MIN_PAGE_WORDS = 50
# Strength of the regularization, which keeps weights small.
REGULARITY = 0.01


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


def examples(folder: Path, blocks: dict[str, list[dict]]) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Return the features' names, their values, the share of content and the weight of each block."""
    values, shares, weights, names = [], [], [], []
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").strip().split("\n"):
        truth = json.loads(line)
        content = words(truth["main_content"])
        known = {length: runs(content, length) for length in range(1, RUN + 1)}
        lines = {" ".join(words(each)) for each in truth["main_content"].split("\n")}
        page = [(words(block["text"]), block["features"]) for block in blocks.get(truth["id"], [])]
        total = max(MIN_PAGE_WORDS, sum(len(block) for block, _ in page))
        for block, features in page:
            if content and block:
                names = names or list(features)
                values.append([float(features[name]) for name in names])
                shares.append(share_in(block, known, lines))
                weights.append(len(block) / total)
    return names, np.array(values), np.array(shares), np.array(weights)


def main(folder: Path, blocks: Path) -> None:
    names, values, shares, weights = examples(folder, json.loads(blocks.read_text(encoding="utf-8")))
    scaler = StandardScaler().fit(values)
    # Each block is an example of content with its share as weight, and a counterexample with the rest.
    twice = np.vstack([scaler.transform(values)] * 2)
    labels = np.r_[np.ones(len(shares)), np.zeros(len(shares))]
    importance = np.r_[weights * shares, weights * (1 - shares)]
    model = LogisticRegression(C=REGULARITY, max_iter=300)
    model.fit(twice, labels, sample_weight=importance * len(importance) / importance.sum())
    coefficients = model.coef_[0] / np.where(scaler.scale_ > 0, scaler.scale_, 1)
    bias = model.intercept_[0] - coefficients @ scaler.mean_
    print("".join(f"    {name}: {value:.3g},\n" for name, value in zip(names, coefficients, strict=True)), end="")
    print(f"  const BIAS = {bias:.3g};")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
