"""Sums of thresholds that features are above: what RankBoost learns, as trees of one comparison each."""

from __future__ import annotations

from idealist.learn.models.trees import LEAF, Tree, TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def boosted_stumps(weak: Sequence[tuple[str, float, float]]) -> TreeEnsemble:
    """The model of (feature, threshold, weight): it adds up the weights of thresholds that features are above.

    >>> boosted_stumps([("1", 0.5, 2.0), ("2", 3.0, 1.0)]).score([[0.5, 4.0], [0.6, 4.0]])
    array([1., 3.])
    """
    names = list(dict.fromkeys(feature for feature, *_ in weak))
    trees = [
        Tree(
            features=[names.index(feature), LEAF, LEAF],
            thresholds=[threshold, 0, 0],
            left=[1, 0, 0],
            right=[2, 0, 0],
            values=[0, 0, 1],
        )
        for feature, threshold, _ in weak
    ]
    return TreeEnsemble(trees, names=names, weights=[weight for *_, weight in weak], single_precision=True)


def are_stumps(model: TreeEnsemble) -> bool:
    """Whether trees are of that form: one comparison each, that gives 0 or 1.

    >>> are_stumps(boosted_stumps([("1", 0.5, 2.0)])), are_stumps(TreeEnsemble([Tree.leaf(1.0)], names=["1"]))
    (True, False)
    """
    return (
        not model.offset
        and bool(model.trees)
        and all(
            tree.depth == 1 and (tree.values[tree.left[0]], tree.values[tree.right[0]]) == (0, 1)
            for tree in model.trees
        )
    )
