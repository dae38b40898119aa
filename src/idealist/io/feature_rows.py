"""Rows of features put together: queries side by side, missing numbers, documents that are there twice."""

from __future__ import annotations

from idealist.data.features import Features
from idealist.errors import InputError
from idealist.wording import and_more

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy import ndarray

    # What is wrong with a row, which is given by its number from 0, as an error that says where it stands.
    Wrong = Callable[[str, int, str], InputError]

KEEP = "keep"
MISSING_HINT = (
    "fill it in, or say what stands for it: fill=0 (--fill 0), or fill='keep' (--fill keep) for trees"
)
MOST_CELLS = 1 << 31  # numbers of a matrix, which take 16 GiB
MOST_FEATURES = 1 << 22


def gathered(
    matrix: ndarray,
    names: Sequence[str],
    queries: Sequence[str],
    documents: Sequence[str] | None,
    grades: ndarray | None,
    *,
    numbered: bool = False,
    fill: float | str | None,
    source: str | None,
    wrong: Wrong,
) -> Features:
    """The table of rows that may be in any order: those of a query are put together, queries in the order in which
    they first come. `numbered` queries have no ids, and are called 1, 2, …. `fill` is what stands for nan: None is an error,
    a number is filled in, "keep" leaves it."""
    import numpy as np

    if not len(matrix):
        raise InputError("there are no rows in it", source=source, hint="a row is a query's document")
    if not matrix.shape[1]:
        raise InputError(
            "there are no features in it",
            source=source,
            hint="numeric columns besides query, document, grade",
        )
    matrix = _filled(matrix, names, fill, wrong)
    ids = [str(row) for row in range(1, len(matrix) + 1)] if documents is None else documents
    number_of: dict[str, int] = {}
    numbers = np.array([number_of.setdefault(query, len(number_of)) for query in queries], np.int64)
    if (numbers[1:] < numbers[:-1]).any():
        order = np.argsort(numbers, kind="stable")
        matrix = matrix[order]
        grades = None if grades is None else grades[order]
        ids = [ids[row] for row in order]
        rows = order
    else:
        rows = np.arange(len(matrix))
    sizes = np.bincount(numbers, minlength=len(number_of))
    if documents is not None:
        _refuse_repeats(ids, sizes, list(number_of), rows, wrong)
    return Features(
        matrix,
        sizes=sizes,
        grades=grades,
        queries=range(1, len(number_of) + 1) if numbered else number_of,
        documents=ids,
        names=names,
        source=source,
    )


def _filled(matrix: ndarray, names: Sequence[str], fill: float | str | None, wrong: Wrong) -> ndarray:
    import numpy as np

    if np.isfinite(matrix).all():
        return matrix
    infinite = np.isinf(matrix)
    if infinite.any():
        row, column = (int(at) for at in np.argwhere(infinite)[0])
        raise wrong(f"feature {names[column]!r} is infinite", row, "give a finite number")
    if fill is None:
        row, column = (int(at) for at in np.argwhere(np.isnan(matrix))[0])
        raise wrong(
            f"feature {names[column]!r} is missing",
            row,
            MISSING_HINT,
        )
    return matrix if fill == KEEP else np.nan_to_num(matrix, nan=float(fill))


def _refuse_repeats(
    ids: Sequence[str], sizes: ndarray, queries: Sequence[str], rows: ndarray, wrong: Wrong
) -> None:
    start = 0
    for query, size in zip(queries, sizes.tolist(), strict=True):
        group = ids[start : start + size]
        if len(set(group)) < size:
            seen: set[str] = set()
            for row, document in zip(rows[start : start + size].tolist(), group, strict=True):
                if document in seen:
                    raise wrong(
                        f"document {document!r} appears twice for query {query!r}",
                        row,
                        "keep one of the two rows",
                    )
                seen.add(document)
        start += size


def chosen_columns(there: Sequence[str], chosen: Sequence[str], source: str | None) -> list[int]:
    """Where the features are that were asked for."""
    places = {name: place for place, name in enumerate(there)}
    for name in chosen:
        if name not in places:
            missing = sum(other not in places for other in chosen)
            shown = ", ".join(there[:8]) + (f", … ({len(there)} in all)" if len(there) > 8 else "")
            raise InputError(
                f"there is no feature {name!r}{and_more(missing)}",
                source=source,
                hint=f"there are {shown}; is it data of other features than were trained on or named?",
            )
    if len(set(chosen)) < len(chosen):
        twice = next(name for name in chosen if list(chosen).count(name) > 1)
        raise InputError(f"feature {twice!r} is named twice", hint="name each once")
    return [places[name] for name in chosen]
