"""Trees by LightGBM."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.learn.trainers.base import Range
from idealist.learn.trainers.boosting import MOST_ROUNDS, OURS, TreeTrainer, refuse_options, threads_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from idealist.learn.models.trees import TreeEnsemble
    from idealist.learn.trainers.base import Task


class LightGBM(TreeTrainer, name="lightgbm"):
    """LightGBM: trees grown leaf by leaf. The objective is its lambdarank with the measure's gains, its rank_xendcg, or
    `measure`: lambda gradients of the measure itself.

    Ke et al., NIPS 2017.
    """

    objective: str = "lambdarank"
    leaves: int = 31
    least_documents: int = 20  # in a leaf
    objectives = ("lambdarank", "rank_xendcg", OURS)
    ranges: ClassVar[Mapping[str, Range]] = {
        **TreeTrainer.ranges,
        "leaves": Range(2, 131_072),
        "least_documents": Range(0, MOST_ROUNDS),
    }

    def trees(self, task: Task) -> tuple[TreeEnsemble, int, int]:
        import lightgbm

        from idealist.learn.trees import lightgbm as adapter

        train, validation = task.train, task.validation
        settings: dict[str, Any] = {
            "verbosity": -1,
            "metric": "None",
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.least_documents,
            "seed": task.seed,
            "deterministic": True,
            "force_row_wise": True,
            # Few documents leave no split at first sight: trees of one leaf then, and no error.
            "feature_pre_filter": False,
            "num_threads": threads_for(train),
        }
        if self.objective == OURS:
            settings["objective"] = adapter.Lambdas(task.measure, task.conventions)
        elif self.objective == "lambdarank":
            settings |= adapter.lambdarank(task.measure, train)
        else:
            settings["objective"] = self.objective
        refuse_options(
            self.name,
            self.options,
            adapter.parameter_names(),
            {
                "rounds": adapter.names_of("num_iterations"),
                "patience": adapter.names_of("early_stopping_round"),
            },
        )
        settings |= dict(self.options)
        data = adapter.dataset(train, feature_name="auto", params=adapter.plain_settings(settings))
        rounds = adapter.Rounds(self.rounds, task.progress)
        callbacks: list[Any] = [rounds]
        sets = []
        if validation is not None:
            sets.append(adapter.dataset(validation, reference=data, feature_name="auto"))
            callbacks.append(lightgbm.early_stopping(self.patience, verbose=False))
        try:
            adapter.refuse_settings(settings, data)
            booster = lightgbm.train(
                settings,
                data,
                self.rounds,
                valid_sets=sets,
                feval=adapter.Metric(task.measure, task.conventions),
                callbacks=callbacks,
            )
        except lightgbm.basic.LightGBMError as error:
            reason = str(error).partition(" at /")[0].strip()  # not the line of its own code
            raise InputError(f"LightGBM cannot train: {reason}", hint="check options and grades") from None
        # 0 without validation, and with DART, which weighs its trees anew in every round and is not stopped.
        used = max(booster.best_iteration, 0) or booster.current_iteration()
        return adapter.ensemble(booster, train.names, rounds=used), used, rounds.run
