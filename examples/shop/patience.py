"""A measure of our own, for `idealist evaluate -m patience:Patience shop.qrels a.run`."""

from idealist import Measure, kernels


class Patience(Measure, name="Patience"):
    """Every relevant document counts less the more useless ones stand above it: the mean of patience^(useless above)."""

    patience: float = 0.8

    def values(self, rankings):
        lists = rankings.native
        relevant = kernels.grades(lists) >= 1
        useless = kernels.ranks(lists) - 1 - relevant.before()
        return (relevant * self.patience**useless).sum() / kernels.relevant(lists, 1)
