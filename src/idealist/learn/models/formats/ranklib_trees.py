"""The trees of RankLib's model files: XML with one <ensemble>, or one for each bag of a forest."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

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
