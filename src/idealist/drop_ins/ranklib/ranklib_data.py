"""RankLib's data: LETOR files, lists of features, its splits, which go by the order of the queries, and its three normalisations in single precision."""

from __future__ import annotations

import re
from itertools import pairwise

from idealist.data.detection import open_source
from idealist.data.feature_reading import read_features
from idealist.data.features import Features, grades_of
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy import ndarray

    from idealist.drop_ins.ranklib.ranklib_options import Settings
    from idealist.learn.models.base_model import Model


SMALLEST = 1.401298464324817e-45  # the least float32 above 0, which RankLib's greatest value begins from


def normalised(features: Features, how: str, names: tuple[str, ...] | None = None) -> Features:
    """The features with these columns, or all, normalised query by query: sum, zscore or linear. A missing value is 0.

    >>> from idealist.data.features import Features
    >>> table = Features([[1.0], [3.0]], sizes=[2])
    >>> normalised(table, "sum").matrix.tolist(), normalised(table, "linear").matrix.tolist()
    ([[0.25], [0.75]], [[0.0], [1.0]])
    """
    import numpy as np

    from idealist.data.features import Features as Table

    if how not in NORMALISATIONS:
        raise InputError(
            f"RankLib has no normalisation {how!r}", hint=f"name one of: {', '.join(NORMALISATIONS)}"
        )
    chosen = [place for place, name in enumerate(features.names) if names is None or name in names]
    cells = np.nan_to_num(features.matrix).astype(np.float32)
    starts = features.starts
    for begin, end in pairwise(starts):
        block = cells[begin:end, chosen]
        cells[begin:end, chosen] = NORMALISATIONS[how](block)
    return Table(
        cells,
        sizes=features.sizes,
        grades=features.grades,
        queries=features.queries,
        documents=features.documents,
        names=features.names,
        source=features.source,
    )


def _sum(block: ndarray) -> ndarray:
    """x / Σ|x|, and as it is where all are 0."""
    import numpy as np

    total = np.zeros(block.shape[1])
    for row in block:  # document by document, as RankLib adds
        total += np.abs(row)
    return np.where(total > 0, block / np.where(total > 0, total, 1.0), block)


def _zscore(block: ndarray) -> ndarray:
    """(x − mean) / standard deviation, divided by n − 1; as it is where all are equal, or one is alone."""
    import numpy as np

    values = block.astype(np.float64)
    total = np.zeros(block.shape[1])
    for row in values:
        total += row
    mean = total / len(block)
    squares = np.zeros(block.shape[1])
    for row in values:
        squares += (row - mean) ** 2
    if len(block) < 2:
        return block
    spread = np.sqrt(squares / (len(block) - 1))
    return np.where(spread > 0, (values - mean) / np.where(spread > 0, spread, 1.0), values)


def _linear(block: ndarray) -> ndarray:
    """(x − min) / (max − min), 0 where all are equal. The greatest is looked for from just above 0, so that of values which
    are all below 0 none becomes 1."""
    import numpy as np

    low = block.min(axis=0)
    high = np.maximum(block.max(axis=0), np.float32(SMALLEST))
    apart = high > low
    return np.where(apart, (block - low) / np.where(apart, high - low, np.float32(1)), np.float32(0))


NORMALISATIONS: dict[str, Callable[[ndarray], ndarray]] = {"sum": _sum, "zscore": _zscore, "linear": _linear}


def read_data(path: str, settings: Settings) -> Features:
    """The features of a file, all that its lines name; a feature that a line does not name is 0."""
    features = read_features(path, format="letor", fill=0)
    if features.grades is not None and (features.grades < 0).any():
        row = int((features.grades < 0).argmax())
        raise InputError(
            f"query {features.query_of(row)!r} has the grade {features.grades[row]:g}",
            source=path,
            hint="grades are 0 or more",
        )
    if settings["-hr"]:
        starts = features.starts
        grades = grades_of(features)
        relevant = [
            place
            for place in range(len(features.sizes))
            if (grades[starts[place] : starts[place + 1]] > 0).any()
        ]
        if not relevant:
            raise InputError("no query has a relevant document", source=path, hint="leave -hr out")
        features = features.of_queries(relevant)
    return features


def feature_list(path: str) -> tuple[str, ...]:
    """The features that a file of -feature names, one a line; what follows a tab or begins with # is a comment."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line.strip() for line in file]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", source=path, hint="check the path") from None
    names = []
    for number, line in enumerate(lines, 1):
        if line and not line.startswith("#"):
            name = line.split("\t")[0].strip()
            if not re.fullmatch(r"0*[1-9][0-9]*", name):
                raise InputError(
                    f"{name[:40]!r} is not the number of a feature",
                    source=path,
                    line=number,
                    hint="a file of features has a number in each line, from 1 on",
                )
            names.append(str(int(name)))
    if not names:
        raise InputError(
            "no feature is named", source=path, hint="a file of features has a number in each line, from 1 on"
        )
    return tuple(dict.fromkeys(names))


def prepared(features: Features, names: tuple[str, ...], settings: Settings) -> Features:
    """The columns that are learned from, normalised if -norm says so. A column that no line names is 0."""
    import numpy as np

    places = {name: place for place, name in enumerate(features.names)}
    columns = [
        features.matrix[:, places[name]] if name in places else np.zeros(len(features)) for name in names
    ]
    chosen = Features(
        # In single precision, as RankLib keeps features: what is trained is scored the same wherever it goes.
        np.column_stack(columns).astype(np.float32) if columns else np.empty((len(features), 0)),
        sizes=features.sizes,
        grades=features.grades,
        queries=features.queries,
        documents=features.documents,
        names=names,
        source=features.source,
    )
    return chosen if settings["-norm"] is None else normalised(chosen, settings["-norm"].lower())


def places(features: Features) -> ndarray:
    """Of each row how many rows of its query stand above it."""
    import numpy as np

    above: ndarray = np.arange(len(features)) - np.repeat(features.starts[:-1], features.sizes)
    return above


def document_names(path: str, features: Features) -> list[list[str]]:
    """What the comments of a file call the documents of each query: the docid, or the first word."""
    with open_source(path, None) as opened:
        # As bytes: a comment may hold what str.splitlines takes for an end of a line, such as U+2028.
        lines = [line.decode("utf-8", "surrogateescape") for line in opened.content().splitlines()]
    by_query: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        body, _, comment = line.partition("#")
        words = body.split(None, 2)
        if len(words) > 1:
            named = re.search(r"\bdocid\s*=\s*(\S+)", comment)
            first = named[1] if named else next(iter(comment.split()), str(number))
            by_query.setdefault(words[1].removeprefix("qid:"), []).append(first)
    starts = features.starts
    if any(
        len(by_query.get(query, ())) != size
        for query, size in zip(features.queries, features.sizes, strict=True)
    ):
        return [list(features.documents[begin:end]) for begin, end in pairwise(starts)]
    return [by_query[query] for query in features.queries]


def for_model(features: Features, model: Model, settings: Settings) -> Features:
    """What a model needs of the features, normalised if -norm says so. One that no line names is an error."""
    highest = max((int(name) for name in features.names), default=0)
    beyond = [name for name in model.names if not name.isdecimal() or int(name) > highest]
    if beyond and not settings["-missingZero"]:
        raise InputError(
            f"the model takes feature {beyond[0]!r}, and the lines name features up to {highest}",
            source=features.source,
            hint="is it the model of other data? -missingZero takes 0 for what is missing",
        )
    return prepared(features, model.names, settings)


def split(features: Features, share: float) -> tuple[Features, Features]:
    """The first queries, so many of them as the share says, and the others."""
    import numpy as np

    # As RankLib: a float32 share, cut off to a whole number.
    first = int(len(features.sizes) * float(np.float32(share)))
    return _parts(features, range(first), range(first, len(features.sizes)), f"a share of {share}")


def folds(features: Features, count: int) -> list[tuple[list[int], list[int]]]:
    """The queries to train on and to test on of each fold; what is left over is tested in the last."""
    queries = len(features.sizes)
    if count < 2 or count > queries:
        raise InputError(
            f"{queries} queries cannot be cut into {count} folds",
            source=features.source,
            hint="-kcv takes 2 or more, and at most the number of queries",
        )
    size = queries // count
    tested = [list(range(fold * size, (fold + 1) * size)) for fold in range(count)]
    tested[-1] += range(count * size, queries)
    return [([query for query in range(queries) if query not in set(part)], part) for part in tested]


def validation_split(features: Features, share: float) -> tuple[Features, Features]:
    """The queries of a fold to train on and, from their end, those to validate on."""
    import numpy as np

    held_out = int(len(features.sizes) * (1.0 - float(np.float32(share))))
    first = len(features.sizes) - held_out
    return _parts(features, range(first), range(first, len(features.sizes)), f"-tvs {share}")


def _parts(
    features: Features, first: Sequence[int], others: Sequence[int], what: str
) -> tuple[Features, Features]:
    if not len(first) or not len(others):
        raise InputError(
            f"{what} of {len(features.sizes)} queries leaves none on one side",
            source=features.source,
            hint="choose another share, or name another file",
        )
    return features.of_queries(list(first)), features.of_queries(list(others))
