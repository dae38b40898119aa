"""LightGBM's model files: text, a section for each tree."""

from __future__ import annotations

import re

from idealist.errors import InputError, located
from idealist.learn.models.formats.model_format import ModelFormat
from idealist.learn.models.trees import (
    LEAF,
    NAN_AS_ZERO,
    NAN_LEFT,
    NAN_RIGHT,
    ZERO_LEFT,
    ZERO_RIGHT,
    Tree,
    TreeEnsemble,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from idealist.learn.models.base_model import Model

DAMAGED = "the file is damaged or cut short: write the model again"
END = "end of trees"
MOST = 2**31 - 1  # of numbers of features and nodes
# Bits of a decision: categories are compared; nan, or 0, goes left; two that say what counts as missing.
CATEGORY, TO_LEFT = 1, 2
MISSING = {
    (0, 0): NAN_AS_ZERO,
    (0, TO_LEFT): NAN_AS_ZERO,
    (1, 0): ZERO_RIGHT,
    (1, TO_LEFT): ZERO_LEFT,
    (2, 0): NAN_RIGHT,
    (2, TO_LEFT): NAN_LEFT,
}


class LightGBM(ModelFormat):
    name = "lightgbm"
    label = "a model of LightGBM"
    about = "trees over numbers; scores are LightGBM's raw scores, of a random forest their mean"

    def recognises(self, head: bytes) -> bool:
        return re.match(rb"tree\r?\nversion=", head) is not None

    def read(self, path: str) -> Model:
        try:
            with open(path, encoding="utf-8") as file:
                return ensemble_of(file.read())
        except UnicodeDecodeError:
            raise InputError("this is not text", source=path, hint=DAMAGED) from None
        except InputError as error:
            raise located(error, path) from None


def ensemble_of(text: str, names: Iterable[str] | None = None) -> TreeEnsemble:
    """The trees of a model's text. Features without names are numbered from 1; `names` names them otherwise."""
    before, end, _ = text.partition(f"\n{END}")
    header, *sections = re.split(r"\n(?=Tree=\d+\n)", before)
    if not end:
        raise InputError(f"there is no line {END!r}", hint=DAMAGED)
    about = _pairs(header)
    expected = len(_words(about, "tree_sizes"))
    if len(sections) != expected:
        raise InputError(f"there are {len(sections)} trees, but {expected} sizes of trees", hint=DAMAGED)
    if about.get("num_tree_per_iteration", "1") != "1":
        raise InputError(
            "this model gives a document several scores", hint="train it for ranking or regression"
        )
    trees = [_tree(_pairs(section)) for section in sections]
    # A random forest gives the mean of its trees.
    weights = [1 / len(trees)] * len(trees) if "average_output" in header.split("\n") else None
    return TreeEnsemble(trees, names=_names(about) if names is None else names, weights=weights)


def _pairs(section: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in section.splitlines() if "=" in line)


def _words(pairs: dict[str, str], key: str) -> list[str]:
    if key not in pairs:
        raise InputError(f"{key!r} is missing", hint=DAMAGED)
    return pairs[key].split()


def _numbers(pairs: dict[str, str], key: str) -> list[float]:
    words = _words(pairs, key)
    try:
        return [float(word) for word in words]
    except ValueError:
        raise InputError(f"{key!r} has a word that is not a number", hint=DAMAGED) from None


def _whole_numbers(pairs: dict[str, str], key: str) -> list[int]:
    numbers = _numbers(pairs, key)
    for number in numbers:
        if not number.is_integer() or abs(number) > MOST:
            raise InputError(f"{key!r} has {number} where a whole number belongs", hint=DAMAGED)
    return [int(number) for number in numbers]


def _names(about: dict[str, str]) -> list[str]:
    names = _words(about, "feature_names")
    unnamed = [f"Column_{number}" for number in range(len(names))]
    return [str(number) for number in range(1, len(names) + 1)] if names == unnamed else names


def _tree(pairs: dict[str, str]) -> Tree:
    which = f"tree {pairs.get('Tree', '')}"
    if pairs.get("is_linear", "0") != "0":
        raise InputError(f"{which} has linear models in its leaves", hint="train with linear_tree=false")
    values = _numbers(pairs, "leaf_value")
    if len(values) < 2:
        return Tree.leaf(*values or [0.0])
    features = _whole_numbers(pairs, "split_feature")
    decisions = _whole_numbers(pairs, "decision_type")
    thresholds = _numbers(pairs, "threshold")
    inner = len(features)
    if min(features, default=0) < 0:
        raise InputError(f"{which} compares feature {min(features)}", hint=DAMAGED)
    if any(decision & CATEGORY for decision in decisions):
        raise InputError(f"{which} compares categories", hint="train on features that are numbers")
    try:
        missing = [MISSING[decision >> 2 & 3, decision & TO_LEFT] for decision in decisions]
    except KeyError:
        raise InputError(f"{which} has a decision of an unknown kind", hint=DAMAGED) from None
    # A child below 0 is a leaf: −1 the first, −2 the second. They stand behind the other nodes here.
    left, right = (
        [child if child >= 0 else inner - 1 - child for child in _whole_numbers(pairs, side)]
        for side in ("left_child", "right_child")
    )
    leaves = len(values)
    return Tree(
        features=[*features, *[LEAF] * leaves],
        thresholds=[*thresholds, *[0.0] * leaves],
        left=[*left, *[0] * leaves],
        right=[*right, *[0] * leaves],
        values=[*[0.0] * inner, *values],
        missing=[*missing, *[NAN_AS_ZERO] * leaves],
    )


LIGHTGBM = LightGBM()
