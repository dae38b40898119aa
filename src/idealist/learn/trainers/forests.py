"""MART, LambdaMART and random forests with LightGBM: boosted trees on grades or on a measure, and bags of them."""

from __future__ import annotations

from idealist.conventions import DEFAULT
from idealist.errors import InputError
from idealist.learn.models.base_model import columns_named, iterations
from idealist.learn.models.single_precision import refuse_beyond_single
from idealist.learn.models.trees import TreeEnsemble
from idealist.learn.objective import Objective
from idealist.learn.trainers.trainer import Range, Task, Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.learn.models.base_model import Model
    from idealist.learn.models.trees import Tree
    from idealist.learn.trainers.trainer import Progress

ALL_VALUES = 65_536  # bins of a feature, where every value may be a threshold


class _Boosted(Trainer):
    """Trees added one after the other; with validation queries, up to the one that was best on them.

    `candidates` are the thresholds that are tried of each feature, 0 all of its values; `least_documents` those of a leaf;
    training ends `patience` trees after the best.
    """

    lambdas: ClassVar[bool]
    takes_missing = True
    trees: int = 1000
    leaves: int = 10
    learning_rate: float = 0.1
    candidates: int = 256
    least_documents: int = 1
    patience: int = 100
    threads: int = 0
    ranges: ClassVar[Mapping[str, Range]] = {
        **{name: Range(1) for name in ("trees", "least_documents", "patience")},
        **{name: Range(0) for name in ("candidates", "threads")},
        "leaves": Range(2),
        "learning_rate": Range(0, 1, above=True),
    }

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        fitted, used, run = self.boosted(
            task.train,
            task.objective,
            task.seed,
            validation=task.validation,
            conventions=task.conventions,
            progress=task.progress,
        )
        names = task.train.names
        model = TreeEnsemble(fitted.trees, names=names, weights=fitted.weights, single_precision=True)
        return model, iterations("round", used, run, self.trees)

    def boosted(
        self,
        train: Features,
        objective: Objective,
        seed: int,
        *,
        validation: Features | None = None,
        conventions: Conventions = DEFAULT,
        data: Any = None,
        counts: ndarray | None = None,
        share: float = 1.0,
        progress: Progress | None = None,
    ) -> tuple[TreeEnsemble, int, int]:
        """The trees, how many rounds they are, and how many were run. `data` is LightGBM's, where it is used again;
        `counts` say how often each query counts, `share` which share of the features a node may compare."""
        import lightgbm
        import numpy as np

        from idealist.learn.trees import lightgbm as adapter

        data = self.data(train) if data is None else data
        counts = train.weights if counts is None else counts
        data.set_weight(None if counts is None else np.repeat(counts, train.sizes).astype(np.float64))
        settings: dict[str, Any] = {
            "objective": adapter.Lambdas(objective.measure, conventions) if self.lambdas else "regression",
            "metric": "None",
            "num_leaves": self.leaves,
            "learning_rate": self.learning_rate,
            **self._bins(),
            "min_data_in_leaf": self.least_documents,
            "feature_fraction_bynode": share,
            "deterministic": True,
            "force_row_wise": True,
            "seed": seed,
        }
        rounds = adapter.Rounds(self.trees, progress)
        callbacks: list[Any] = [rounds]
        held_out: dict[str, Any] = {}
        if validation is not None:
            held_out["valid_sets"] = [
                adapter.dataset(_single(validation, train.names), reference=data, feature_name="auto")
            ]
            held_out["feval"] = adapter.Metric(objective.measure, conventions)
            callbacks.append(lightgbm.early_stopping(self.patience, verbose=False))
        booster = lightgbm.train(settings, data, self.trees, callbacks=callbacks, **held_out)
        used = booster.best_iteration if validation is not None else booster.current_iteration()
        return adapter.ensemble(booster, train.names, rounds=used or None), used, rounds.run

    def data(self, train: Features) -> Any:
        """What LightGBM makes of features; bins go by parameters that training must say again."""
        from idealist.learn.trees import lightgbm as adapter

        return adapter.dataset(
            _single(train, train.names), feature_name="auto", params=self._bins(), free_raw_data=False
        )

    def _bins(self) -> dict[str, Any]:
        return {
            "max_bin": self.candidates or ALL_VALUES,
            "min_data_in_bin": 1,
            "feature_pre_filter": False,
            "num_threads": self.threads,
            "verbosity": -1,
        }


def _single(features: Features, names: tuple[str, ...]) -> Features:
    """These columns in single precision, as the model is scored."""
    import numpy as np

    refuse_beyond_single(features, names)
    return features.with_columns(columns_named(features, names).astype(np.float32), names)


class Mart(_Boosted, name="mart"):
    """Trees on what is left of the grades: gradient boosting with squared errors. Friedman, Annals of Statistics 2001."""

    lambdas = False


class LambdaMart(_Boosted, name="lambdamart"):
    """Trees on lambda gradients: what exchanging documents changes of the measure. Wu and others, Information Retrieval 2010."""

    lambdas = True


class Forest(Mart, name="random-forest"):
    """The mean of bags of trees, each of queries drawn with replacement. Breiman, Machine Learning 2001.

    `sampled` is how many queries are drawn, as a share of all; `features` the share of features that a node may compare;
    `bagged` is what a bag is trained by, mart or lambdamart. Validation queries are measured and choose nothing.
    """

    trees: int = 1
    leaves: int = 100
    bags: int = 300
    sampled: float = 1.0
    features: float = 0.3
    bagged: str = "mart"
    ranges: ClassVar[Mapping[str, Range]] = {
        **Mart.ranges,
        **{name: Range(0, 1, above=True) for name in ("sampled", "features")},
        "bags": Range(1),
    }

    def _checked(self, field: str, value: Any) -> Any:
        value = super()._checked(field, value)
        if field == "bagged" and value not in ("mart", "lambdamart"):
            raise InputError(f"random-forest: bagged must be mart or lambdamart, not {value!r}")
        return value

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        import numpy as np

        train = task.train
        own = {name: getattr(self, name) for name in _Boosted.fields}
        inner = (LambdaMart if self.bagged == "lambdamart" else Mart)(**own)
        data = inner.data(train)
        draw = np.random.default_rng(task.seed)
        queries = len(train.sizes)
        trees: list[Tree] = []
        for bag in range(self.bags):
            task.report(bag + 1, self.bags)
            drawn = draw.integers(queries, size=max(1, int(queries * self.sampled)))
            counts = np.bincount(drawn, minlength=queries)
            if train.weights is not None:
                counts = counts * train.weights
            fitted, *_ = inner.boosted(
                train,
                task.objective,
                task.seed + bag,
                conventions=task.conventions,
                data=data,
                counts=counts,
                share=self.features,
            )
            trees += fitted.trees
        shares = np.full(len(trees), 1 / self.bags)
        return TreeEnsemble(trees, names=train.names, weights=shares, single_precision=True), {}
