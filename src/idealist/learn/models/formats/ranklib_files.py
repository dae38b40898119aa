"""RankLib's model files: a first line that names the algorithm, comments, and trees (XML), weights or a network."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np

from idealist.errors import InputError, located
from idealist.learn.models.formats.model_format import ModelFormat
from idealist.learn.models.ranklib_models import SigmoidNetwork, are_stumps, boosted_stumps
from idealist.learn.models.single_precision import SinglePrecisionTrees, WeightedSum, is_linear, weighted_sum
from idealist.learn.models.trees import LEAF, Tree, TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any
    from xml.etree.ElementTree import Element

    from idealist.learn.models.base_model import Model

    # (feature or 0 for a leaf, threshold, left, right, value), of which the first is the root
    Node = tuple[int, float, int, int, float]
    WeightedNodes = tuple[float, list[Node]]


DAMAGED = "the file is damaged or cut short"


def parse_ensembles(lines: list[str]) -> list[list[WeightedNodes]]:
    """The trees of each ensemble, with their weights."""
    text = "".join(lines)
    if "<!" in text or "<?" in text:
        raise InputError("the trees have declarations, which RankLib writes none of", hint=DAMAGED)
    try:
        # Forests have several ensembles one behind the other, and XML has one root.
        root = ElementTree.fromstring(f"<model>{text}</model>")
    except ElementTree.ParseError as error:
        raise InputError(f"the trees cannot be read: {error}", hint=DAMAGED) from None
    ensembles = [[_tree(tree) for tree in ensemble.findall("tree")] for ensemble in root.findall("ensemble")]
    if not ensembles or not all(ensembles):
        raise InputError("there is no <tree> in an <ensemble>", hint=DAMAGED)
    return ensembles


def _tree(tree: Element) -> WeightedNodes:
    which = f"tree {tree.get('id', '')}".strip()
    root = tree.find("split")
    if root is None or tree.get("weight") is None:
        raise InputError(f"{which} lacks its weight or its root", hint=DAMAGED)
    weight = _single(tree.get("weight"), f"the weight of {which}")
    nodes: list[list[float]] = []
    waiting: list[tuple[Element, int, int]] = [(root, -1, 0)]
    while waiting:
        split, parent, side = waiting.pop()
        if parent >= 0:
            nodes[parent][side] = len(nodes)
        output = split.find("output")
        if output is not None:
            nodes.append([0, 0.0, 0, 0, _single(output.text, f"an output of {which}")])
            continue
        feature, threshold = split.find("feature"), split.find("threshold")
        branches = split.findall("split")
        if feature is None or threshold is None or len(branches) != 2:
            raise InputError(f"a <split> of {which} lacks its feature, threshold or branches", hint=DAMAGED)
        number = (feature.text or "").strip()
        if not number.isdecimal() or int(number) < 1:
            raise InputError(
                f"{which} compares feature {number[:40]!r}", hint="RankLib numbers features from 1"
            )
        waiting += [(branches[1], len(nodes), 3), (branches[0], len(nodes), 2)]
        nodes.append([int(number), _single(threshold.text, f"a threshold of {which}"), 0, 0, 0.0])
    return weight, [(int(node[0]), node[1], int(node[2]), int(node[3]), node[4]) for node in nodes]


def _single(text: str | None, what: str) -> float:
    """A number as RankLib keeps it."""
    try:
        with np.errstate(over="ignore", under="ignore"):
            number = float(np.float32((text or "").strip()))
    except ValueError:
        number = float("nan")
    if not np.isfinite(number):
        raise InputError(f"{what} is {(text or '').strip()[:40]!r}, not a number", hint=DAMAGED)
    return number


TREES = ("LambdaMART", "MART", "Random Forests")
SUMS = ("Coordinate Ascent", "Linear Regression", "AdaRank")
NETWORKS = ("RankNet", "LambdaRank", "ListNet")
STUMPS = "RankBoost"
ALGORITHMS = (*TREES, *SUMS, *NETWORKS, STUMPS)


def parse_ranklib(text: str) -> Model:
    """The model in the text of a file of RankLib."""
    first, _, rest = text.partition("\n")
    named = {name.lower(): name for name in ALGORITHMS}
    algorithm = named.get(re.sub(r"^##\s*", "", first).strip().lower())
    if algorithm is None:
        raise InputError(
            f"the first line names no algorithm of RankLib: {first.strip()[:60]!r}",
            hint=f"it is ## and one of {', '.join(ALGORITHMS)}",
        )
    lines = [line.strip() for line in rest.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if not lines:
        raise InputError(f"nothing of a {algorithm} model follows its comments", hint="the file is cut short")
    readers: dict[str, Callable[[list[str], str], Model]] = {
        **dict.fromkeys(TREES, _trees),
        **dict.fromkeys(SUMS, _sum),
        **dict.fromkeys(NETWORKS, _network),
        STUMPS: _stumps,
    }
    return readers[algorithm](lines, algorithm)


def ranklib_text(model: Model, algorithm: str | None = None) -> str:
    """A model as the text of a file that RankLib reads."""
    from idealist.learn.models.formats import ranklib_text as writing

    given = algorithm or getattr(model, "algorithm", None)
    if algorithm is not None and algorithm not in ALGORITHMS:
        raise InputError(f"RankLib has no {algorithm!r}", hint=f"name one of: {', '.join(ALGORITHMS)}")
    if isinstance(model, TreeEnsemble):
        usual = STUMPS if are_stumps(model) else TREES[0]
        return writing.trees_text(model, given if given in (*TREES, STUMPS) else usual)
    if isinstance(model, SigmoidNetwork):
        return writing.network_text(model, given if given in NETWORKS else "RankNet")
    if is_linear(model):
        return writing.sum_text(weighted_sum(model), given if given in SUMS else "Coordinate Ascent")
    raise InputError(f"RankLib has no {model.kind} model", hint="it has trees, linear models and networks")


class RankLib(ModelFormat):
    name = "ranklib"
    label = "a model of RankLib"
    about = "trees, linear models and networks; features are numbers from 1"
    endings = (".ranklib",)
    options = ("algorithm",)

    def recognises(self, head: bytes) -> bool:
        first = head.partition(b"\n")[0].decode("utf-8", "replace")
        return first.startswith("##") and first[2:].strip().lower() in map(str.lower, ALGORITHMS)

    def read(self, path: str) -> Model:
        try:
            with open(path, encoding="utf-8") as file:
                return parse_ranklib(file.read())
        except UnicodeDecodeError:
            raise InputError("this is not text", source=path, hint="models of RankLib are") from None
        except InputError as error:
            raise located(error, path) from None

    def takes(self, model: Model) -> bool:
        return isinstance(model, (TreeEnsemble, SigmoidNetwork)) or is_linear(model)

    def write(self, model: Model, path: str, **options: Any) -> None:
        text = ranklib_text(model, **options)
        with open(path, "w", encoding="ascii", newline="\n") as file:
            file.write(text)


RANKLIB = RankLib()


def _number(text: str, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if number != number or abs(number) == float("inf"):
        raise InputError(f"{what} is {text[:40]!r}, not a number", hint="the file is damaged or cut short")
    return number


def _feature(text: str) -> str:
    if not re.fullmatch(r"\s*\+?0*[1-9][0-9]{0,8}\s*", text):
        raise InputError(f"a feature is called {text[:40]!r}", hint="RankLib numbers features from 1")
    return str(int(text))


def _trees(lines: list[str], algorithm: str) -> Model:

    ensembles = parse_ensembles(lines)
    if algorithm != "Random Forests" and len(ensembles) != 1:
        raise InputError(f"{len(ensembles)} ensembles in a model of {algorithm}", hint="one is expected")
    used = {feature for trees in ensembles for _, nodes in trees for feature, *_ in nodes if feature}
    names = [str(number) for number in sorted(used)]
    places = {int(name): place for place, name in enumerate(names)}
    planted = [
        Tree(
            features=[places[feature] if feature else LEAF for feature, *_ in nodes],
            thresholds=[threshold for _, threshold, *_ in nodes],
            left=[left for _, _, left, _, _ in nodes],
            right=[right for _, _, _, right, _ in nodes],
            values=[value for *_, value in nodes],
        )
        for trees in ensembles
        for _, nodes in trees
    ]
    return SinglePrecisionTrees(
        planted,
        names=names,
        weights=[weight for trees in ensembles for weight, _ in trees],
        bags=[len(trees) for trees in ensembles],
        algorithm=algorithm,
    )


def _pairs(line: str, parts: int) -> list[list[str]]:
    """The words of a line, each `parts` texts apart by colons; what follows a # is a comment."""
    words = [word.split(":") for word in line.rpartition("#")[0 if "#" in line else 2].split()]
    wrong = next((word for word in words if len(word) != parts), None)
    if wrong is not None or not words:
        shown = ":".join(["feature", "threshold", "weight"] if parts == 3 else ["feature", "weight"])
        raise InputError(
            f"{':'.join(wrong or ['an empty line'])[:40]!r} is not {shown}",
            hint="the file is damaged or cut short",
        )
    return words


def _sum(lines: list[str], algorithm: str) -> Model:
    weights: dict[str, float] = {}
    constant = 0.0
    for feature, text in _pairs(lines[0], 2):
        weight = _number(text, f"the weight of feature {feature}")
        if feature == "0" and algorithm == "Linear Regression":
            constant = weight
        else:
            # AdaRank may choose a feature again: its weights add up.
            name = _feature(feature)
            weights[name] = weights.get(name, 0.0) + weight
    return WeightedSum(list(weights), list(weights.values()), constant=constant, algorithm=algorithm)


def _stumps(lines: list[str], algorithm: str) -> Model:
    weak = [
        (_feature(feature), _number(threshold, "a threshold"), _number(weight, "a weight"))
        for feature, threshold, weight in _pairs(lines[0], 3)
    ]
    return boosted_stumps(weak)


def _network(lines: list[str], algorithm: str) -> Model:
    try:
        names = [_feature(word) for word in lines[0].split()]
        sizes = [len(names) + 1, *(int(line) for line in lines[2 : 2 + int(lines[1])]), 1]
        rows = [line.split() for line in lines[2 + int(lines[1]) :]]
        outgoing = {
            (int(row[0]), int(row[1])): [_number(word, "a weight of the network") for word in row[2:]]
            for row in rows
        }
        layers = []
        # The input's last unit is the constant, and stands before the units of every layer.
        constants = outgoing[0, len(names)]
        used = 0
        for layer, (before, units) in enumerate(pairwise(sizes)):
            inputs = [outgoing[layer, unit] for unit in range(before - (layer == 0))]
            layers.append([*inputs, constants[used : used + units]])
            used += units
            if any(len(row) != units for row in layers[-1]):
                raise IndexError
        if used != len(constants):
            raise IndexError
    except (IndexError, KeyError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"the network of this {algorithm} model is incomplete", hint="the file is damaged or cut short"
        ) from None
    return SigmoidNetwork(names, layers, algorithm=algorithm)
