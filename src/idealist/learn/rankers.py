"""Rankers with scikit-learn's interface: `fit`, `predict` and `score` by query, for linear models, neural scorers and trees."""

# ruff: noqa: N803 - X, as scikit-learn names it

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from idealist.base.values import as_seed
from idealist.conventions import DEFAULT, as_conventions
from idealist.data.features import Features
from idealist.errors import InputError
from idealist.learn.objective import Objective
from idealist.learn.query_folds import Groups, has_ids, read_groups, row_sums, warn_of_cut_queries
from idealist.learn.trainers.trainer import Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Self

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.data.run import Run
    from idealist.learn.models.base_model import Model
    from idealist.measures import Measure


class Ranker(BaseEstimator):
    """The base of rankers. A subclass takes its parameters in `__init__` and makes a `Trainer` of them.

    X is rows of features and y their grades, or X is `Features`, which know their grades and queries. `group` says which
    rows are of one query (see `read_groups`). After `fit`, `model_` is the model, for `save_model`. The request for
    `group` is set, so that scikit-learn hands it on wherever metadata routing is switched on.
    """

    # Parameters that all rankers have; subclasses set them.
    measure: Any
    conventions: Any
    seed: int

    __metadata_request__fit = {"group": True}  # noqa: RUF012 - scikit-learn reads it off the class
    __metadata_request__predict = {"group": True}  # noqa: RUF012
    __metadata_request__score = {"group": True}  # noqa: RUF012

    # Whether a document's score depends on the others of its query.
    scores_by_query = True
    model_: Model

    @abstractmethod
    def _trainer(self) -> Trainer:
        """The trainer that the parameters mean."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.single_output = True
        return tags

    def fit(self, X: Any, y: Any = None, *, group: Any = None, validation: Any = None) -> Self:
        """Fits the model. `validation` is Features, or a tuple (X, y, group), by which training is stopped early."""
        train = self._features(X, y, group, graded=True, reset=True)
        self._trained = row_sums(train) if has_ids(group, len(train)) else {}
        held_out = validation
        if validation is not None and not isinstance(validation, Features):
            if not isinstance(validation, tuple) or len(validation) != 3:
                raise InputError("validation must be Features or a tuple (X, y, group)")
            held_out = self._features(*validation, graded=True)
        self.model_ = self._trainer().fit(
            train,
            held_out,
            measure=self.measure,
            conventions=as_conventions(DEFAULT if self.conventions is None else self.conventions),
            seed=as_seed(self.seed),
        )
        return self

    def predict(self, X: Any, *, group: Any = None) -> ndarray:
        """The scores of rows, in their order. Only some models look at the query of a row, and need `group`."""
        check_is_fitted(self)
        if isinstance(X, Features):
            return self.model_.scores(X)
        cells = self._checked_rows(X)
        if group is None and not self.scores_by_query:
            return self.model_.score(cells, np.array([len(cells)]))
        groups = read_groups(group, len(cells))
        scores = np.empty(len(cells))
        scores[groups.order] = self.model_.score(cells[groups.order], groups.sizes)
        return scores

    def rank(
        self,
        X: Any,
        *,
        group: Any = None,
        documents: Iterable[Any] | None = None,
        name: str = "model",
    ) -> Run:
        """The run that the scores make. Documents have the numbers of their rows unless `documents` names them."""
        check_is_fitted(self)
        features = self._features(X, None, group, documents=documents)
        return self.model_.rank(features, name=name)

    def score(self, X: Any, y: Any = None, *, group: Any = None, sample_weight: None = None) -> float:
        """The measure; where lower is better, its negative, as scikit-learn takes it.

        `sample_weight` is None: pipelines hand it to every `score`, but a measure is of queries, not of rows.
        """
        check_is_fitted(self)
        if sample_weight is not None:
            raise InputError("rows cannot be weighted in a measure", hint="leave sample_weight out")
        features = self._features(X, y, group, graded=True)
        if has_ids(group, len(features)):
            warn_of_cut_queries(self._trained, features)
        conventions = as_conventions(DEFAULT if self.conventions is None else self.conventions)
        objective = Objective(features, self.measure, conventions)
        return float(objective.sign * objective.value(self.model_.scores(features)))

    def _checked_rows(self, X: Any, **of_grades: Any) -> Any:
        """X as scikit-learn takes it, and y where it is given."""
        finite = "allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True
        arguments = {"reset": False, **of_grades}
        return validate_data(self, X, dtype=np.float64, ensure_all_finite=finite, **arguments)

    def _features(
        self,
        X: Any,
        y: Any,
        group: Any,
        *,
        graded: bool = False,
        reset: bool = False,
        documents: Iterable[Any] | None = None,
    ) -> Features:
        if isinstance(X, Features):
            if y is not None or group is not None or documents is not None:
                raise InputError("Features know their grades, queries and documents", hint="give them alone")
            if reset:
                self.n_features_in_ = X.matrix.shape[1]
                if X.names != tuple(map(str, range(1, self.n_features_in_ + 1))):
                    self.feature_names_in_ = np.array(X.names, object)
            return X
        if graded:
            cells, grades = self._checked_rows(
                X, y=y, y_numeric=True, reset=reset, ensure_min_samples=1 + reset
            )
        else:
            cells, grades = self._checked_rows(X), None
        return self._table(cells, grades, read_groups(group, len(cells)), documents)

    def _table(
        self, cells: ndarray, grades: ndarray | None, groups: Groups, documents: Iterable[Any] | None
    ) -> Features:
        names = list(map(str, range(len(cells)))) if documents is None else list(map(str, documents))
        if len(names) != len(cells):
            raise InputError(
                f"there are {len(names):,} documents, but {len(cells):,} rows", hint="one name for each row"
            )
        return Features(
            cells[groups.order],
            sizes=groups.sizes,
            grades=None if grades is None else grades[groups.order],
            queries=groups.queries,
            documents=[names[row] for row in groups.order],
            names=getattr(self, "feature_names_in_", None),
        )


class LinearRanker(Ranker):
    """Weights of features by coordinate ascent, directly on a measure; the parameters are those of the trainer `ascent`.

    Features are normalised within each query by default, so that `predict` needs `group`.

    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]], [2, 1, 0]
    >>> LinearRanker(measure="nDCG", restarts=1).fit(X, y, group=[3]).score(X, y, group=[3])
    1.0
    """

    def __init__(
        self,
        *,
        measure: Measure | str = "nDCG@10",
        conventions: Conventions | str | None = None,
        normalisation: str = "z-score",
        restarts: int = 5,
        passes: int = 25,
        tolerance: float = 1e-4,
        regularisation: float = 0.0,
        choice: str = "best",
        seed: int = 0,
    ) -> None:
        self.measure = measure
        self.conventions = conventions
        self.normalisation = normalisation
        self.restarts = restarts
        self.passes = passes
        self.tolerance = tolerance
        self.regularisation = regularisation
        self.choice = choice
        self.seed = seed

    def _trainer(self) -> Trainer:
        return Trainer.parse(
            "ascent",
            normalisation=self.normalisation,
            restarts=self.restarts,
            passes=self.passes,
            tolerance=self.tolerance,
            regularisation=self.regularisation,
            choice=self.choice,
        )


SCORERS = ("mlp", "attention", "linear")


class NeuralRanker(Ranker):
    """A `scorer` (mlp, attention or linear) trained by a loss that is made from the measure.

    The parameters are those of the trainer of that name, whose `learning_rate` and `precision` hold where they are None;
    what one scorer alone has, such as its layers, stands in `options`. Features are normalised within each query by default,
    so that `predict` needs `group`.

    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]], [2, 1, 0]
    >>> ranker = NeuralRanker("linear", measure="nDCG", epochs=30, learning_rate=0.1).fit(X, y, group=[3])
    >>> ranker.score(X, y, group=[3])
    1.0
    """

    def __init__(
        self,
        scorer: str = "mlp",
        *,
        measure: Measure | str = "nDCG@10",
        conventions: Conventions | str | None = None,
        loss: str = "soft",
        normalisation: str = "z-score",
        epochs: int = 200,
        patience: int = 30,
        batch: int = 16,
        learning_rate: float | None = None,
        weight_decay: float = 0.0,
        precision: str | None = None,
        device: str = "cpu",
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        self.scorer = scorer
        self.measure = measure
        self.conventions = conventions
        self.loss = loss
        self.normalisation = normalisation
        self.epochs = epochs
        self.patience = patience
        self.batch = batch
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.precision = precision
        self.device = device
        self.options = options
        self.seed = seed

    def _trainer(self) -> Trainer:
        if self.scorer not in SCORERS:
            raise InputError(f"scorer must be one of {', '.join(SCORERS)}, not {self.scorer!r}")
        own = {"learning_rate": self.learning_rate, "precision": self.precision}
        return Trainer.parse(
            self.scorer,
            loss=self.loss,
            normalisation=self.normalisation,
            epochs=self.epochs,
            patience=self.patience,
            batch=self.batch,
            weight_decay=self.weight_decay,
            device=self.device,
            **{name: value for name, value in own.items() if value is not None},
            **(self.options or {}),
        )


LIBRARIES = ("lightgbm", "xgboost", "catboost")


class TreeRanker(Ranker):
    """Trees by LightGBM, XGBoost or CatBoost (`library`), for a measure.

    `objective` is one of the library's own, by default its lambdarank, rank:ndcg or YetiRank; "measure" is the measure
    itself, by lambda gradients, in LightGBM and XGBoost. `leaves` and `least_documents` (in a leaf) are of LightGBM,
    `depth` of the other two; `options` are further parameters of the library, under its own names. nan is a missing
    feature. Without `validation` in `fit`, all `rounds` are trained.

    >>> import numpy as np
    >>> X, queries = np.arange(60.0).reshape(60, 1), np.repeat(["q1", "q2", "q3"], 20)
    >>> y = X[:, 0] % 20 > 14
    >>> ranker = TreeRanker(measure="nDCG@5", rounds=20, least_documents=2).fit(X, y, group=queries)
    >>> ranker.score(X, y, group=queries)
    1.0
    """

    scores_by_query = False

    def __init__(
        self,
        library: str = "lightgbm",
        *,
        measure: Measure | str = "nDCG@10",
        conventions: Conventions | str | None = None,
        objective: str | None = None,
        rounds: int = 100,
        learning_rate: float = 0.1,
        patience: int = 50,
        leaves: int | None = None,
        least_documents: int | None = None,
        depth: int | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        self.library = library
        self.measure = measure
        self.conventions = conventions
        self.objective = objective
        self.rounds = rounds
        self.learning_rate = learning_rate
        self.patience = patience
        self.leaves = leaves
        self.least_documents = least_documents
        self.depth = depth
        self.options = options
        self.seed = seed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _trainer(self) -> Trainer:
        parameters = {
            "objective": self.objective,
            "rounds": self.rounds,
            "learning_rate": self.learning_rate,
            "patience": self.patience,
            "leaves": self.leaves,
            "least_documents": self.least_documents,
            "depth": self.depth,
            "options": self.options,
        }
        if self.library not in LIBRARIES:
            raise InputError(f"library must be one of {', '.join(LIBRARIES)}, not {self.library!r}")
        stated = {name: value for name, value in parameters.items() if value is not None}
        return Trainer.parse(self.library, **stated)
