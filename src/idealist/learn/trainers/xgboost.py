"""Trees by XGBoost."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.learn.trainers.base import Range
from idealist.learn.trainers.boosting import OURS, TreeTrainer, refuse_options, threads_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from idealist.learn.models.trees import TreeEnsemble
    from idealist.learn.trainers.base import Progress, Task

# What the library calls them elsewhere: as parameters of its own it knows none of these.
ROUNDS = ("num_boost_round", "n_estimators")
PATIENCE = ("early_stopping_rounds",)


class XGBoost(TreeTrainer, name="xgboost"):
    """XGBoost: trees grown level by level. The objective is its rank:ndcg, rank:map or rank:pairwise, or `measure`:
    lambda gradients of the measure itself.

    Chen and Guestrin, KDD 2016.
    """

    objective: str = "rank:ndcg"
    depth: int = 6
    objectives = ("rank:ndcg", "rank:map", "rank:pairwise", OURS)
    ranges: ClassVar[Mapping[str, Range]] = {**TreeTrainer.ranges, "depth": Range(1, 30)}

    def trees(self, task: Task) -> tuple[TreeEnsemble, int, int]:
        import xgboost

        from idealist.learn.trees import xgboost as adapter

        train, validation = task.train, task.validation
        settings: dict[str, Any] = {
            "verbosity": 0,
            "disable_default_eval_metric": 1,
            "eta": self.learning_rate,
            "max_depth": self.depth,
            "seed": task.seed,
            "nthread": threads_for(train),
        }
        ours = adapter.Lambdas(task.measure, task.conventions) if self.objective == OURS else None
        if ours is not None:
            # Second derivatives of a measure are small. XGBoost's own least sums of them, 1, would let no tree grow; these
            # are LightGBM's.
            settings |= {"min_child_weight": 1e-3, "lambda": 0.0}
        if self.objective == "rank:ndcg":
            settings |= adapter.rank_ndcg(task.measure, train)
        elif ours is None:
            settings["objective"] = self.objective
        if self.options:
            unused, known = adapter.unused_parameters(settings | dict(self.options))
            refuse_options(
                self.name,
                self.options,
                known | (set(self.options) - set(unused)),
                {"rounds": ROUNDS, "patience": PATIENCE},
            )
        metric = adapter.Metric(task.measure, task.conventions)
        callbacks = [] if task.progress is None else [_xgboost_progress(task.progress, self.rounds)]
        held_out = None if validation is None else adapter.dataset(validation, feature_names=None)
        try:
            booster = xgboost.train(
                settings | dict(self.options),
                adapter.dataset(train, feature_names=None),
                self.rounds,
                evals=[] if held_out is None else [(held_out, "validation")],
                obj=ours,
                custom_metric=metric,
                maximize=metric.higher_is_better,
                early_stopping_rounds=None if held_out is None else self.patience,
                verbose_eval=False,
                callbacks=callbacks,
            )
        except xgboost.core.XGBoostError as error:
            reason = str(error).partition("Stack trace")[0].strip().splitlines()[-1]
            raise InputError(f"XGBoost cannot train: {reason}", hint="check options and grades") from None
        run = booster.num_boosted_rounds()
        used = run if held_out is None else booster.best_iteration + 1
        return adapter.ensemble(booster, train.names, rounds=used), used, run


def _xgboost_progress(progress: Progress, rounds: int) -> Any:
    import xgboost

    class Shown(xgboost.callback.TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            progress(epoch + 1, rounds)
            return False

    return Shown()
