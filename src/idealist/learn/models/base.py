"""What every model does: it gives each document of a query a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import MappingProxyType

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from numpy import ndarray

    from idealist.data.features import Features
    from idealist.data.run import Run


class Model(ABC):
    """A fitted scorer. `names` are the features that it takes, in the order of the columns that `score` gets."""

    kind: ClassVar[str]
    names: tuple[str, ...]
    # What is known of how it was made: the trainer, its parameters, the round and its value.
    training: Mapping[str, Any] = MappingProxyType({})
    # Whether a feature may be nan.
    takes_missing: bool = True

    @abstractmethod
    def score(self, matrix: ndarray, sizes: ndarray) -> ndarray:
        """The scores of rows of features, float64; `sizes` says how many rows each query has."""

    def scores(self, features: Features) -> ndarray:
        """The scores of a table's rows; its columns are found by name."""
        if not self.takes_missing:
            refuse_missing(features, self.names)
        return self.score(columns_named(features, self.names), features.sizes)

    def rank(self, features: Features, *, name: str = "model") -> Run:
        """The run that the scores make."""
        return features.run(self.scores(features), name=name)


def cells_for(model: Model, matrix: Any) -> ndarray:
    """Rows of as many features as the model takes, float64."""
    import numpy as np

    cells = np.asarray(matrix, np.float64)
    if cells.ndim != 2 or cells.shape[1] != len(model.names):
        raise InputError(
            f"the features have the shape {cells.shape}, but the model takes {len(model.names)} of each document",
            hint="give rows × features, in the order of the model's names; rank(features) finds columns by name",
        )
    return cells


def refuse_missing(features: Features, names: tuple[str, ...]) -> None:
    """An InputError for the first of these features that is nan or infinite, with its query and document."""
    import numpy as np

    cells = columns_named(features, names)
    if np.isfinite(cells).all():
        return
    row, column = (int(at) for at in np.argwhere(~np.isfinite(cells))[0])
    missing = np.isnan(cells[row, column])
    raise InputError(
        f"query {features.query_of(row)!r}, document {features.documents[row]!r}: feature {names[column]!r} is "
        f"{cells[row, column]}{', and only models of trees take that' if missing else ''}",
        source=features.source,
        hint="say what stands for it: --fill 0 (fill=0 in Python)" if missing else "give a finite number",
    )


def columns_named(features: Features, names: tuple[str, ...]) -> ndarray:
    """The columns of these names, in this order."""
    if features.names == names:
        return features.matrix
    places = {name: place for place, name in enumerate(features.names)}
    missing = [name for name in names if name not in places]
    if missing:
        raise InputError(
            f"the model takes feature {missing[0]!r}, which these features lack"
            + (f" ({len(missing)} are missing)" if len(missing) > 1 else ""),
            source=features.source,
            hint=f"there are {', '.join(features.names[:8])}{', …' if len(features.names) > 8 else ''}",
        )
    return features.matrix[:, [places[name] for name in names]]
