"""Trees by CatBoost."""

from __future__ import annotations

import re

from idealist.errors import InputError
from idealist.learn.trainers.base import Range
from idealist.learn.trainers.boosting import TreeTrainer, refuse_options, threads_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from idealist.learn.models.trees import TreeEnsemble
    from idealist.learn.trainers.base import Progress, Task

# The library's names of them.
ROUNDS = ("iterations", "num_boost_round", "n_estimators", "num_trees")
PATIENCE = ("early_stopping_rounds", "od_wait")


class CatBoost(TreeTrainer, name="catboost"):
    """CatBoost: symmetric trees. The objective is its YetiRank, QueryRMSE, QuerySoftMax or PairLogit; it gives a loss of
    ours no queries, so that none is there.

    Prokhorenkova et al., NeurIPS 2018; Gulin, Kuralenok and Pavlov, 2011.
    """

    objective: str = "YetiRank"
    depth: int = 6
    objectives = ("YetiRank", "YetiRankPairwise", "QueryRMSE", "QuerySoftMax", "PairLogit")
    ranges: ClassVar[Mapping[str, Range]] = {**TreeTrainer.ranges, "depth": Range(1, 16)}

    def trees(self, task: Task) -> tuple[TreeEnsemble, int, int]:
        import catboost

        from idealist.learn.trees import catboost as adapter

        refuse_options(
            self.name, self.options, adapter.parameter_names(), {"rounds": ROUNDS, "patience": PATIENCE}
        )
        train, validation = task.train, task.validation
        settings: dict[str, Any] = {
            "loss_function": self.objective,
            "iterations": self.rounds,
            "learning_rate": self.learning_rate,
            "depth": self.depth,
            "random_seed": task.seed,
            "thread_count": threads_for(train),
            "allow_writing_files": False,
            "logging_level": "Silent",
            "has_time": True,  # as they are given, so that the metric knows them
        }
        arguments: dict[str, Any] = {}
        if validation is not None:
            settings["eval_metric"] = adapter.Metric(
                task.measure, task.conventions, features=(train, validation)
            )
            arguments = {
                "eval_set": adapter.dataset(validation, feature_names=None),
                "use_best_model": True,
                "early_stopping_rounds": self.patience,
            }
        if task.progress is not None:
            arguments["callbacks"] = [_CatBoostProgress(task.progress, self.rounds)]
        model = catboost.CatBoost(settings | dict(self.options))
        try:
            model.fit(adapter.dataset(train, feature_names=None), **arguments)
        except catboost.CatBoostError as error:
            reason = re.sub(r"^\S+\.(cpp|h):\d+: ", "", str(error))  # not the line of its own code
            raise InputError(f"CatBoost cannot train: {reason}", hint="check options and grades") from None
        used = run = int(model.tree_count_)
        if validation is not None:
            run = max(len(values) for values in model.get_evals_result()["validation"].values())
        return adapter.ensemble(model, train.names), used, run


class _CatBoostProgress:
    def __init__(self, progress: Progress, rounds: int) -> None:
        self.progress, self.rounds = progress, rounds

    def after_iteration(self, info: Any) -> bool:
        self.progress(info.iteration, self.rounds)
        return True
