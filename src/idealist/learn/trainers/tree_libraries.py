"""Trees by LightGBM, XGBoost and CatBoost: early stopping by our measure, and options of the library."""

from __future__ import annotations

import re

from idealist import kernels
from idealist.base.frozen import FrozenTable
from idealist.base.values import as_kind
from idealist.errors import InputError
from idealist.learn.libraries import missing_library
from idealist.learn.models.base_model import columns_named, iterations
from idealist.learn.objective import Objective
from idealist.learn.trainers.trainer import Range, Task, Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any, ClassVar

    from idealist.data.features import Features
    from idealist.learn.models.base_model import Model
    from idealist.learn.models.trees import TreeEnsemble
    from idealist.learn.trainers.trainer import Progress


OURS = "measure"  # the objective that is ours
MOST_ROUNDS = 1_000_000_000  # the libraries count in 32 bits


class Options(FrozenTable):
    """Further parameters of a library, as `name=value,name=value` has them."""

    __slots__ = ()

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.items())


# Fewer numbers than these are trained on faster by one thread than by several that wait for each other.
CELLS_FOR_ONE_THREAD = 1 << 18


class TreeTrainer(Trainer):
    """What the three libraries have in common.

    With validation features, trees are added until the measure has not risen for `patience` rounds, and those up to the
    best round are the model; without, all `rounds` are. `options` are parameters of the library, under its own names.
    """

    rounds: int = 500
    learning_rate: float = 0.1
    patience: int = 50
    options: Options = Options({})
    objectives: ClassVar[tuple[str, ...]] = ()
    takes_missing = True
    ranges: ClassVar[Mapping[str, Range]] = {
        "rounds": Range(1, MOST_ROUNDS),
        "patience": Range(1),
        "learning_rate": Range(0, 1, above=True),
    }

    def _checked(self, field: str, value: Any) -> Any:
        if field == "options":
            return _read_options(f"{self.name}: options", value)
        value = super()._checked(field, value)
        if field == "objective" and value not in self.objectives:
            raise InputError(
                f"{self.name} has no objective {value!r}", hint=f"name one of: {', '.join(self.objectives)}"
            )
        return value

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        if task.validation is not None:
            task = task.replace(validation=_with_columns_of(task.train, task.validation))
        for features in (task.train, task.judged):
            # What the measure does not take, such as a grade without a gain, is said here and not from within a library.
            Objective(features, task.measure, task.conventions).value([0.0] * len(features))
        try:
            model, used, run = self.trees(task)
        except ModuleNotFoundError as error:
            raise missing_library(f"training {self.name}", error) from None
        return model, iterations("round", used, run, self.rounds)

    def trees(self, task: Task) -> tuple[TreeEnsemble, int, int]:
        """The model, the number of rounds it is of, and of those that were run. Validation features have the columns of
        those trained on, in their order."""
        raise TypeError(f"{type(self).__name__} does not say how it trains")


def refuse_options(
    trainer: str, options: Options, known: Collection[str], own: Mapping[str, Collection[str]]
) -> None:
    """An InputError for an option that the library does not know, with the nearest that it does, and for one that a
    parameter of the trainer sets: `own` has the library's names of these."""
    from difflib import get_close_matches

    for name in options:
        for parameter, names in own.items():
            if name in names:
                raise InputError(
                    f"{trainer}: options: {name} is set by the parameter {parameter}",
                    hint=f"--set {parameter}={options[name]} ({parameter}={options[name]} in Python)",
                )
        if name not in known:
            near = get_close_matches(str(name), known, 1)
            raise InputError(
                f"{trainer}: options: the library has no parameter {name!r}",
                hint=f"did you mean {near[0]!r}?" if near else "see the library's own list of parameters",
            )


def threads_for(features: Features) -> int:
    return kernels.available_threads() if features.matrix.size > CELLS_FOR_ONE_THREAD else 1


def _with_columns_of(train: Features, other: Features) -> Features:
    """Features with the columns of those trained on, in their order."""
    return other.with_columns(columns_named(other, train.names), train.names)


def _read_options(what: str, value: Any) -> Options:
    """Options from a mapping, or from text.

    >>> _read_options("options", "lambda_l2=1, extra_trees=true, boosting=dart")
    lambda_l2=1,extra_trees=True,boosting=dart
    """
    if isinstance(value, str):
        pairs = [part.partition("=") for part in value.split(",") if part.strip()]
        if any(not equals or not name.strip() for name, equals, _ in pairs):
            raise InputError(f"{what} must be name=value,name=value, not {value!r}")
        value = {name.strip(): _option(what, text.strip()) for name, _, text in pairs}
    if value is None or not hasattr(value, "items"):
        raise InputError(f"{what} must be a mapping or name=value,name=value, not {value!r}")
    return Options(value)


def _option(what: str, text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return as_kind(text, what, kind)
        except InputError:
            continue
    return text


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


# What the library calls them elsewhere: as parameters of its own it knows none of these.
XGBOOST_ROUNDS = ("num_boost_round", "n_estimators")
XGBOOST_PATIENCE = ("early_stopping_rounds",)


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
                {"rounds": XGBOOST_ROUNDS, "patience": XGBOOST_PATIENCE},
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


# The library's names of them.
CATBOOST_ROUNDS = ("iterations", "num_boost_round", "n_estimators", "num_trees")
CATBOOST_PATIENCE = ("early_stopping_rounds", "od_wait")


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
            self.name,
            self.options,
            adapter.parameter_names(),
            {"rounds": CATBOOST_ROUNDS, "patience": CATBOOST_PATIENCE},
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
