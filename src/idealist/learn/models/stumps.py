"""Sums of thresholds that features are above: what RankBoost learns."""

from __future__ import annotations

from idealist.learn.models.trees import LEAF, Tree, TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class BoostedStumps(TreeEnsemble):
    """Trees of one comparison each that give 0 or 1, with weights.

    >>> BoostedStumps.of([("1", 0.5, 2.0), ("2", 3.0, 1.0)]).score([[0.5, 4.0], [0.6, 4.0]])
    array([1., 3.])
    """

    algorithm = "RankBoost"

    @classmethod
    def of(cls, weak: Sequence[tuple[str, float, float]]) -> BoostedStumps:
        """The model of (feature, threshold, weight): it adds up the weights of thresholds that features are above."""
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
        weights = [weight for *_, weight in weak]
        return cls(trees, names=names, weights=weights, single_precision=True)
