"""Models as RankLib writes them."""

from __future__ import annotations

import re

import numpy as np

from idealist.errors import InputError
from idealist.learn.models.ranklib_models import are_stumps
from idealist.learn.models.single_precision import (
    SinglePrecisionTrees,
    float_text,
    refuse_zero_rules,
    single_threshold,
)
from idealist.learn.models.trees import LEAF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idealist.learn.models.ranklib_models import SigmoidNetwork
    from idealist.learn.models.single_precision import WeightedSum
    from idealist.learn.models.trees import Tree, TreeEnsemble


def feature_numbers(names: Sequence[str]) -> list[int]:
    """The numbers that RankLib knows features by."""
    wrong = next((name for name in names if not re.fullmatch(r"[1-9][0-9]{0,8}", name)), None)
    if wrong is not None:
        raise InputError(
            f"feature {wrong!r} is not a number, and RankLib knows features by their numbers",
            hint="train on data whose features are called 1, 2, …, as those of LETOR files are",
        )
    return [int(name) for name in names]


def trees_text(model: TreeEnsemble, algorithm: str) -> str:
    refuse_zero_rules(model)
    numbers = feature_numbers([model.names[place] for place in model.used()])
    by_place = dict(zip(model.used(), numbers, strict=True))
    if algorithm == "RankBoost":
        return _stumps_text(model, by_place)
    bags: Sequence[int] = (len(model.trees),)
    shares = 1
    if isinstance(model, SinglePrecisionTrees) and len(model.bags) > 1:
        algorithm, bags, shares = "Random Forests", model.bags, len(model.bags)
    lines = [f"## {algorithm}", f"## No. of trees = {len(model.trees)}", ""]
    first = 0
    for bag in bags:
        lines.append("<ensemble>")
        for place in range(first, first + bag):
            weight = float_text(model.weights[place] * shares)
            lines += _tree_lines(model.trees[place], place - first + 1, weight, by_place)
        if model.offset:
            # What every document gets is a tree that is one leaf.
            lines += [f'\t<tree id="{bag + 1}" weight="1.0">', "\t\t<split>"]
            lines += [f"\t\t\t<output>{float_text(model.offset)} </output>", "\t\t</split>", "\t</tree>"]
        lines.append("</ensemble>")
        first += bag
    return "\n".join(lines) + "\n"


def _tree_lines(tree: Tree, number: int, weight: str, features: dict[int, int]) -> Iterator[str]:
    yield f'\t<tree id="{number}" weight="{weight}">'
    yield "\t\t<split>"
    # What is still to be written, the next of it last: a node with its depth, or a line as it is.
    ahead: list[tuple[int, int] | str] = ["\t</tree>", "\t\t</split>", (0, 3)]
    while ahead:
        item = ahead.pop()
        if isinstance(item, str):
            yield item
            continue
        node, depth = item
        tabs = "\t" * depth
        if tree.features[node] == LEAF:
            yield f"{tabs}<output>{float_text(tree.values[node])} </output>"
            continue
        yield f"{tabs}<feature>{features[int(tree.features[node])]} </feature>"
        yield f"{tabs}<threshold> {float_text(single_threshold(float(tree.thresholds[node])))} </threshold>"
        close = f"{tabs}</split>"
        ahead += [close, (int(tree.right[node]), depth + 1), f'{tabs}<split pos="right">']
        ahead += [close, (int(tree.left[node]), depth + 1), f'{tabs}<split pos="left">']


def _stumps_text(model: TreeEnsemble, features: dict[int, int]) -> str:
    if not are_stumps(model):
        raise InputError("RankBoost's models are sums of stumps", hint="write these trees as LambdaMART")
    words = []
    for tree, weight in zip(model.trees, model.weights, strict=True):
        words.append(f"{features[int(tree.features[0])]}:{float(tree.thresholds[0])!r}:{float(weight)!r}")
    return f"## RankBoost\n## Iteration = {len(words)}\n{' '.join(words)}\n"


def sum_text(model: WeightedSum, algorithm: str) -> str:
    numbers = feature_numbers(model.names)
    if algorithm != "Linear Regression" and model.constant:
        # Only linear regression has a place for what every document gets.
        algorithm = "Linear Regression"
    pairs = list(zip(numbers, model.weights, strict=True))
    if algorithm == "AdaRank":
        # Features that it chose; one without a weight, if it chose none.
        pairs = [(number, weight) for number, weight in pairs if weight] or pairs[:1]
    words = [f"{number}:{weight!r}" for number, weight in pairs]
    if algorithm == "Linear Regression":
        words.insert(0, f"0:{model.constant!r}")
    if not words:
        raise InputError("this model has no features", hint="train it on some")
    return f"## {algorithm}\n{' '.join(words)}\n"


def network_text(model: SigmoidNetwork, algorithm: str) -> str:
    numbers = feature_numbers(model.names)
    hidden = model.layers[:-1]
    if algorithm == "ListNet" and hidden:
        raise InputError("ListNet's networks have no hidden layer", hint="write this one as RankNet")
    lines = [
        f"## {algorithm}",
        f"## No. of features = {len(numbers)}",
        f"## No. of hidden layers = {len(hidden)}",
    ]
    lines += [" ".join(map(str, numbers)), str(len(hidden)), *(str(layer.shape[1]) for layer in hidden)]
    constants = np.concatenate([layer[-1] for layer in model.layers])
    for place, layer in enumerate(model.layers):
        rows = [*layer[:-1], constants] if place == 0 else layer[:-1]
        for unit, row in enumerate(rows):
            lines.append(f"{place} {unit} {' '.join(repr(float(weight)) for weight in row)}")
    return "\n".join(lines) + "\n"
