"""The subject of a check: a run or judgments, in memory, and the text it was read from."""

from __future__ import annotations

from idealist import kernels
from idealist.checking.result import Finding, Location
from idealist.data import Judgments, Run
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    import numpy.typing as npt

    from idealist.checking.text import TrecText
    from idealist.data.collection import Collection

    Numbers = npt.NDArray[np.float64]
    Marks = npt.NDArray[np.bool_]
    Indices = npt.NDArray[np.intp]

EXAMPLES = 10  # locations listed with a finding


class Settings:
    """The settings of a check."""

    def __init__(self, at: Sequence[int], max_grade: float | None, threads: int) -> None:
        self.at = tuple(sorted(set(at)))
        self.max_grade = max_grade
        self.threads = threads
        if not self.at or any(k < 1 for k in self.at):
            raise InputError(
                f"at must be ranks of 1 or more, not {list(at)}",
                hint="give whole numbers from 1 on, such as 10 and 100",
            )


class Subject:
    """A run or judgments under check. Rows are numbered by query, and within it as they were given."""

    def __init__(
        self, source: str, collection: Collection, text: TrecText | None, settings: Settings
    ) -> None:
        import numpy as np

        self.source = source
        self.collection = collection
        self.text = text
        self.settings = settings
        self.queries = collection.keys()
        self.numbers: Numbers = np.asarray(kernels.row_numbers(collection.rows))
        self.counts: Indices = np.asarray(kernels.row_counts(collection.rows)).astype(np.intp)
        # Where the rows of each query begin, and those of the last end.
        self.begins: Indices = np.concatenate(([0], np.cumsum(self.counts))).astype(np.intp)
        self.filled: Indices = np.flatnonzero(self.counts)
        self._query_of: Indices | None = None

    @property
    def rows(self) -> kernels.Rows:
        return self.collection.rows

    @property
    def query_of(self) -> Indices:
        """The number of the query of each row."""
        import numpy as np

        if self._query_of is None:
            self._query_of = np.repeat(np.arange(len(self.counts)), self.counts)
        return self._query_of

    def ordered(self, unordered: Marks, *keys: Numbers) -> Indices | None:
        """The rows by query and, in the queries of the marked rows, by the keys, of which the last counts most; None
        if no row is marked. There is a mark for each row but the first."""
        import numpy as np

        if not np.any(unordered):
            return None
        mixed = np.zeros(len(self.counts), dtype=bool)
        mixed[self.query_of[1:][unordered]] = True
        rows = np.flatnonzero(mixed[self.query_of])
        order: Indices = np.arange(len(self.numbers), dtype=np.intp)
        order[rows] = rows[np.lexsort((*(key[rows] for key in keys), self.query_of[rows]))]
        return order

    def lowest(self, numbers: Numbers) -> Numbers:
        """The lowest number of each query that has rows."""
        import numpy as np

        return np.minimum.reduceat(numbers, self.begins[self.filled])

    def highest(self, numbers: Numbers) -> Numbers:
        return -self.lowest(-numbers)

    def location(self, query: int, row: int, text: str = "") -> Location:
        line = kernels.row_line(self.rows, query, row) if self.text is not None else None
        return Location(line, self.queries[query], kernels.row_document(self.rows, query, row), text)

    def location_of(self, row: int, text: str = "") -> Location:
        """The location of a row by its number among all."""
        query = int(self.query_of[row])
        return self.location(query, int(row - self.begins[query]), text)

    def locations(self, rows: Iterable[int], title: str = "") -> list[Location]:
        """The locations of the first rows, each with its number under `title`."""
        return [
            self.location_of(row, f"{title} {self.numbers[row]:g}" if title else "")
            for row in [int(row) for row, _ in zip(rows, range(EXAMPLES), strict=False)]
        ]

    def query_locations(self, queries: Iterable[int]) -> list[Location]:
        return [Location(query=self.queries[int(q)]) for q, _ in zip(queries, range(EXAMPLES), strict=False)]

    def finding(
        self, code: str, message: str, count: int = 1, examples: Iterable[Location] = (), hint: str = ""
    ) -> Finding:
        return Finding(code, self.source, message, int(count), tuple(examples)[:EXAMPLES], hint)

    def measurable(self) -> Collection:
        """The collection without duplicates: the highest number of each document."""
        if self.rows.duplicate is None:
            return self.collection
        highest: dict[str, dict[str, float]] = {query: self.collection[query] for query in self.queries}
        _, pairs = kernels.duplicate_rows(self.rows, len(self.rows), self.settings.threads)
        for query, row, _, other in pairs:
            document = kernels.row_document(self.rows, query, row)
            two_numbers = (self.numbers[self.begins[query] + row], self.numbers[self.begins[query] + other])
            documents = highest[self.queries[query]]
            documents[document] = max(documents[document], *map(float, two_numbers))
        kind = Run if isinstance(self.collection, Run) else Judgments
        return kind(highest, name=self.collection.name)
