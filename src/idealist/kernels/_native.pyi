from collections.abc import Iterable, Iterator, Sequence
from typing import Any

class FileChanged(OSError):
    """A file that became another while it was read."""

class Values:
    """One number for each query; nan is undefined.

    Made of any sequence of numbers, or of an array. With numbers and other values of the same queries there is `+ - * / **`,
    where what is divided by 0 is undefined, and `>= > <= <`, which give 1 or 0. `values[0]` is the first query's, and
    `list(values)` are all.

    >>> values = kernels.Values([1.0, 2.0])
    >>> list(values / kernels.Values([2.0, 0.0]))
    [0.5, nan]
    >>> list(values >= 2.0)
    [0.0, 1.0]
    """

    def __init__(self, numbers: Sequence[float], /) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, query: int, /) -> float: ...
    def __repr__(self) -> str: ...
    def __iter__(self) -> Iterator[float]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __add__(self, other: Values | float, /) -> Values: ...
    def __radd__(self, other: float, /) -> Values: ...
    def __sub__(self, other: Values | float, /) -> Values: ...
    def __rsub__(self, other: float, /) -> Values: ...
    def __mul__(self, other: Values | float, /) -> Values: ...
    def __rmul__(self, other: float, /) -> Values: ...
    def __truediv__(self, other: Values | float, /) -> Values: ...
    def __rtruediv__(self, other: float, /) -> Values: ...
    def __pow__(self, other: Values | float, /) -> Values: ...
    def __rpow__(self, other: float, /) -> Values: ...
    def __ge__(self, other: Values | float, /) -> Values: ...
    def __gt__(self, other: Values | float, /) -> Values: ...
    def __le__(self, other: Values | float, /) -> Values: ...
    def __lt__(self, other: Values | float, /) -> Values: ...
    def minimum(self, other: Values | float, /) -> Values:
        """The smaller of two numbers.

        >>> list(kernels.Values([1.0, 3.0]).minimum(2.0))
        [1.0, 2.0]
        """
    def maximum(self, other: Values | float, /) -> Values:
        """The larger of two numbers.

        >>> list(kernels.Values([1.0, 3.0]).maximum(2.0))
        [2.0, 3.0]
        """
    def floored(self) -> Values:
        """The whole number at or below each.

        >>> list(kernels.Values([2.5, 3.0]).floored())
        [2.0, 3.0]
        """
    def log2(self) -> Values:
        """The logarithm to base 2.

        >>> list(kernels.Values([1.0, 8.0]).log2())
        [0.0, 3.0]
        """
    def sums_of(self, counts: Sequence[int], /) -> Values:
        """The sums of neighbouring values: of the first `counts[0]`, of the next `counts[1]`, and so on.

        >>> list(kernels.Values([1.0, 2.0, 4.0]).sums_of([2, 0, 1]))
        [3.0, 0.0, 4.0]
        """
    def share_of(self, whole: Values, /) -> Values:
        """The values as a share of a whole. Undefined where the whole is 0, and 1 where rounding alone has made it more.

        >>> list(kernels.Values([1.0, 1.0]).share_of(kernels.Values([4.0, 0.0])))
        [0.25, nan]
        """
    def where_positive(self, condition: Values | float, /) -> Values:
        """The values where a condition is above 0, undefined elsewhere.

        >>> list(kernels.Values([5.0, 6.0]).where_positive(kernels.Values([1.0, 0.0])))
        [5.0, nan]
        """
    def filled(self, undefined: float, /) -> Values:
        """The values, with a number where they are undefined.

        >>> list((kernels.Values([1.0, 1.0]) / kernels.Values([2.0, 0.0])).filled(0.0))
        [0.5, 0.0]
        """
    def without(self, queries: Sequence[int], /) -> Values:
        """The values, undefined for some queries, which are named by their place.

        >>> list(kernels.Values([1.0, 2.0]).without([0]))
        [nan, 2.0]
        """
    def replaced(self, queries: Sequence[int], values: Values, /) -> Values:
        """The values, with others for some queries, which are named by their place.

        >>> list(kernels.Values([1.0, 2.0, 3.0]).replaced([2, 0], kernels.Values([7.0, 8.0])))
        [8.0, 2.0, 7.0]
        """
    def first_undefined(self) -> int | None:
        """The place of the first query whose value is undefined; None if there is none.

        >>> kernels.Values([1.0, float("nan")]).first_undefined()
        1
        """
    def first_infinite(self) -> int | None:
        """The place of the first query whose value is infinite; None if there is none.

        >>> kernels.Values([1.0, float("inf")]).first_infinite()
        1
        """
    def count(self) -> int:
        """How many values are defined.

        >>> kernels.Values([1.0, float("nan")]).count()
        1
        """
    def sum(self) -> float:
        """The sum of the defined values, rounded once.

        >>> kernels.Values([0.1] * 10).sum(), sum([0.1] * 10)
        (1.0, 0.9999999999999999)
        """

class Places:
    """One number for each place of each query, in rank order; nan is undefined.

    A place is a judged document that was retrieved. With numbers, with values (each beside all places of its query) and with
    other places of the same lists there is `+ - * / **`, where what is divided by 0 is undefined, and `>= > <= <`, which give 1
    or 0. NumPy and memoryview read them without a copy.

    >>> lists = idealist.Rankings.from_grades([[3, None, 0], [1]]).native
    >>> memoryview(kernels.grades(lists) / kernels.ranks(lists)).tolist()
    [3.0, 0.0, 1.0]
    """

    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __add__(self, other: Places | Values | float, /) -> Places: ...
    def __radd__(self, other: Values | float, /) -> Places: ...
    def __sub__(self, other: Places | Values | float, /) -> Places: ...
    def __rsub__(self, other: Values | float, /) -> Places: ...
    def __mul__(self, other: Places | Values | float, /) -> Places: ...
    def __rmul__(self, other: Values | float, /) -> Places: ...
    def __truediv__(self, other: Places | Values | float, /) -> Places: ...
    def __rtruediv__(self, other: Values | float, /) -> Places: ...
    def __pow__(self, other: Places | Values | float, /) -> Places: ...
    def __rpow__(self, other: Values | float, /) -> Places: ...
    def __ge__(self, other: Places | Values | float, /) -> Places: ...
    def __gt__(self, other: Places | Values | float, /) -> Places: ...
    def __le__(self, other: Places | Values | float, /) -> Places: ...
    def __lt__(self, other: Places | Values | float, /) -> Places: ...
    def minimum(self, other: Places | Values | float, /) -> Places:
        """The smaller of two numbers.

        >>> lists = idealist.Rankings.from_grades([[3, 0, 1]]).native
        >>> memoryview(kernels.grades(lists).minimum(1.0)).tolist()
        [1.0, 0.0, 1.0]
        """
    def maximum(self, other: Places | Values | float, /) -> Places:
        """The larger of two numbers.

        >>> lists = idealist.Rankings.from_grades([[3, 0, 1]]).native
        >>> memoryview(kernels.grades(lists).maximum(1.0)).tolist()
        [3.0, 1.0, 1.0]
        """
    def where_positive(self, condition: Places | Values | float, /) -> Places:
        """The numbers where a condition is above 0, undefined elsewhere.

        >>> lists = idealist.Rankings.from_grades([[3, 0, 1]]).native
        >>> memoryview(kernels.ranks(lists).where_positive(kernels.grades(lists))).tolist()
        [1.0, nan, 3.0]
        """
    def filled(self, undefined: float, /) -> Places:
        """The numbers, with another where they are undefined.

        >>> lists = idealist.Rankings.from_grades([[3, 0, 1]]).native
        >>> memoryview((1.0 / kernels.grades(lists)).filled(9.0)).tolist()
        [0.3333333333333333, 9.0, 1.0]
        """
    def log2(self) -> Places:
        """The logarithm to base 2.

        >>> lists = idealist.Rankings.from_grades([[3, 0, 1, 1]]).native
        >>> memoryview(kernels.ranks(lists).log2()).tolist()
        [0.0, 1.0, 1.584962500721156, 2.0]
        """
    def looked_up(self, table: Sequence[float], /) -> Places:
        """The number of a table at the place that each number is, from 0 on.

        >>> lists = idealist.Rankings.from_grades([[2, 0, 1]]).native
        >>> memoryview(kernels.grades(lists).looked_up([0.0, 0.25, 1.0])).tolist()
        [1.0, 0.0, 0.25]
        """
    def like(self, numbers: Sequence[float], /) -> Places:
        """Other numbers in the same places, one for each.

        >>> lists = idealist.Rankings.from_grades([[3, 0], [1]]).native
        >>> list(kernels.grades(lists).like([5.0, 6.0, 7.0]).sum())
        [11.0, 7.0]
        """
    def sum(self) -> Values:
        """The sum of each query's numbers.

        >>> lists = idealist.Rankings.from_grades([[3, 0, 1], [1]]).native
        >>> list(kernels.grades(lists).sum())
        [4.0, 1.0]
        """
    def highest(self, otherwise: float, /) -> Values:
        """The highest of each query's numbers; `otherwise` for a query without places.

        >>> lists = idealist.Rankings.from_grades([[1, 3], []]).native
        >>> list(kernels.grades(lists).highest(-1.0))
        [3.0, -1.0]
        """
    def running(self) -> Places:
        """The sum down to each place, itself included.

        >>> lists = idealist.Rankings.from_grades([[3, 0, 1]]).native
        >>> memoryview(kernels.grades(lists).running()).tolist()
        [3.0, 3.0, 4.0]
        """
    def before(self) -> Places:
        """The sum of the places above each place.

        >>> lists = idealist.Rankings.from_grades([[3, 0, 1]]).native
        >>> memoryview(kernels.grades(lists).before()).tolist()
        [0.0, 3.0, 3.0]
        """
    def product_before(self) -> Places:
        """The product of the places above each place; 1 at the first.

        >>> lists = idealist.Rankings.from_grades([[1, 0, 1]]).native
        >>> memoryview((1.0 - kernels.grades(lists) / 2).product_before()).tolist()
        [1.0, 0.5, 0.5]
        """
    def following(self, otherwise: float, /) -> Places:
        """The number of the place below each place; `otherwise` at the query's last.

        >>> lists = idealist.Rankings.from_grades([[3, 0, 1], [2]]).native
        >>> memoryview(kernels.grades(lists).following(9.0)).tolist()
        [0.0, 1.0, 9.0, 9.0]
        """
    def descending(self) -> Places:
        """Each query's numbers from the highest down, whatever their places were.

        >>> lists = idealist.Rankings.from_grades([[1, 3, 0]]).native
        >>> memoryview(kernels.grades(lists).descending()).tolist()
        [3.0, 1.0, 0.0]
        """
    def last_up_to(self, keys: Places, limits: Places, otherwise: float, /) -> Places:
        """For every place of `limits`, the number of the last place whose key is not above the limit; `otherwise` where there is none.

        Keys rise along a query; `limits` may be places of other lists of these queries.

        >>> lists = idealist.Rankings.from_grades([[3, None, 1]]).native  # ranks 1 and 3
        >>> ranks = kernels.ranks(lists)
        >>> memoryview(kernels.grades(lists).last_up_to(ranks, ranks - 1.0, 9.0)).tolist()
        [9.0, 3.0]
        """
    def standing(self) -> Places:
        """Where each number stands among its query's: 1, and one more for each that is smaller.

        >>> lists = idealist.Rankings.from_grades([[3, 0, 1, 1]]).native
        >>> memoryview(kernels.grades(lists).standing()).tolist()
        [4.0, 1.0, 2.0, 2.0]
        """
    def earlier_less(self, weights: Places, /) -> Places:
        """For every place, the sum of the weights of the places above whose number is smaller.

        >>> lists = idealist.Rankings.from_grades([[0, 1, 3, 2]]).native
        >>> grades = kernels.grades(lists)
        >>> memoryview(grades.earlier_less(grades + 1.0)).tolist()
        [0.0, 1.0, 3.0, 3.0]
        """

class Rows:
    """The rows of a run or of judgments: a number for each query and document, grouped by query."""

    def __len__(self) -> int: ...
    def __contains__(self, query: str, /) -> bool: ...
    def queries(self) -> list[str]:
        """The queries, in bytewise order."""
    def query_count(self) -> int:
        """How many queries there are."""
    def documents(self, query: str, /) -> dict[str, float] | None:
        """The documents of a query and their numbers; None if there is no such query."""
    def ranking(self, query: str, options: MatchOptions, /) -> list[str]:
        """The documents of a query in ranked order; none if there is no such query."""
    def top(self, query: str, options: MatchOptions, most: int, /) -> list[tuple[str, float]]:
        """The first documents of a query and their scores as they are compared, with all that are tied with the last of them."""
    def equals(self, other: Rows, threads: int, /) -> bool:
        """Whether both have the same queries, documents and numbers."""
    @property
    def problem(self) -> tuple[str, int, int, str, int] | None:
        """What is wrong with the first row that could not be read: kind, line, columns, text, and how many there are; None if nothing."""
    @property
    def duplicate(self) -> tuple[str, str, int, int, int] | None:
        """The first document that a query has twice: query, document, both lines, and how many there are; None if there is none."""
    def canonical(self, query: int, size: int, threads: int, /) -> tuple[bytes, int]:
        """Some bytes of the rows in bytewise order from a query on, for a digest, and the first query that is not among them."""
    def text(
        self, query: int, size: int, layout: str, word: str, threads: int, /
    ) -> tuple[bytes, int, tuple[str, str, str] | None]:
        """The rows as text from a query on, the first query that is not in it, and what cannot be written so, if anything."""

class Window:
    """A stretch of a source of rows, cut into pieces that are read on all cores."""

class TextCutter:
    """Text that comes in blocks, cut at line ends into windows."""

    def __init__(self, lines: str | LineParser, /) -> None: ...
    def cut(self, block: bytes, /) -> Window | None:
        """The window of the whole lines so far; None if there are none yet."""
    def finish(self) -> Window | None:
        """The window of what is left; None if nothing is."""

class ArrowFailed(ValueError):
    """What an Arrow stream said when it could not go on."""

class ArrowReader:
    """A stream of the Arrow C interface, from its capsule."""

    def __init__(self, capsule: object, /) -> None: ...
    @property
    def names(self) -> list[str]:
        """The names of the columns."""
    @property
    def formats(self) -> list[str]:
        """The types of the columns, as the Arrow C interface writes them."""
    def choose(self, query: int, document: int, number: int, negated: bool, finite: bool, /) -> None:
        """Says which columns are the query, the document and the number, whether the number is negated, and whether it must be finite."""
    def next(self, rows: int, /) -> Window | None:
        """The window of the next rows, about so many; None at the end."""
    def regrouped(self, threads: int, /) -> Window:
        """All rows in one window, in parts that have all rows of their queries."""
    def keep(self) -> None:
        """Keeps the batches that are read, for `rewind`."""
    def rewind(self) -> None:
        """Starts again with the first of the batches that were kept."""

class Gathering:
    """Rows of windows, kept."""

    def __init__(self, threads: int, /) -> None: ...
    def __len__(self) -> int: ...
    def add(self, window: Window, /) -> None:
        """Reads a window and keeps its rows."""
    def rows(self, threads: int, /) -> Rows:
        """All rows, grouped by query."""
    def arrow(self, number: str, /) -> object:
        """All rows in their order, as a capsule with an Arrow stream whose numbers have this name."""

class Stream:
    """Windows of a run against judgments; rows are not kept."""

    def __init__(self, judgments: Rows, options: MatchOptions, threads: int, /) -> None: ...
    def __len__(self) -> int: ...
    @property
    def infinite(self) -> int:
        """How many scores are infinite."""
    def add(self, window: Window, /) -> bool:
        """Ranks the queries of a window; false if it had to stop."""
    def add_queries(self, rows: Rows, /) -> None:
        """Ranks queries whose rows are complete."""
    @property
    def stopped(self) -> str | None:
        """Why it had to stop: bad-row, duplicate or scattered; None if it did not."""
    def finish(self) -> tuple[Rankings, int, int] | None:
        """The rankings, how many queries the run has, and how many rows; None if it had to stop."""

class Partitions:
    """Rows of windows, to files: each holds all rows of its queries."""

    def __init__(self, descriptors: Sequence[int], threads: int, /) -> None: ...
    def __len__(self) -> int: ...
    def add(self, window: Window, /) -> None:
        """Writes the rows of a window to the files of their queries."""
    def finish(self) -> None:
        """Writes what is left."""
    @property
    def problem(self) -> tuple[str, int, int, str, int] | None:
        """What is wrong with the first row that could not be read, as `Rows.problem` says it."""

class LineParser:
    """How a line of text is read to a row."""

class Union:
    """Several runs side by side: a row for each document that any of them has for a query, as NumPy arrays."""

    def __len__(self) -> int: ...
    def queries(self) -> list[str]:
        """The queries, in bytewise order."""
    @property
    def query_begin(self) -> Any:
        """The first row of each query, and the number of all rows."""
    @property
    def scores(self) -> Any:
        """The score of each row in each run, nan where the run does not have it."""
    @property
    def ranks(self) -> Any:
        """The rank of each row in each run, 0 where the run does not have it."""
    @property
    def retrieved(self) -> Any:
        """How many documents each run has for each query."""
    def rows(self, scores: Any, threads: int, /) -> Rows:
        """The same documents with these scores, as a run."""
    def majority(self, weights: Sequence[float], begin: int, end: int, threads: int, /) -> Any:
        """Scores by weighed majority between documents, of the queries from `begin` up to `end`."""

class Feed:
    """Text that comes in blocks, read to rows."""

    def __init__(self, lines: str | LineParser, /) -> None: ...
    def add(self, block: bytes, /) -> None:
        """Reads a block."""
    def finish(self, threads: int, /) -> Rows:
        """All rows, grouped by query."""

class DelimitedNumbers:
    """Columns of numbers and of ids in delimited text that is as usual; where it is not, `whole` is false."""

    def __init__(
        self,
        text: bytes,
        begin: int,
        delimiter: str,
        decimal: str,
        columns: int,
        numbers: Sequence[int],
        texts: Sequence[int],
        missing: bool,
        /,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def whole(self) -> bool:
        """Whether all of the text was as usual."""
    @property
    def values(self) -> Any:
        """The numbers, row by row, as one array."""
    def texts(self, place: int, /) -> list[str]:
        """The ids of a column, by its place among those asked for."""

class FeatureText:
    """Rows of features in LETOR and SVMlight text, as NumPy arrays that are valid once it is finished."""

    def __init__(self) -> None: ...
    def add(self, block: bytes, /) -> None:
        """Reads a block."""
    def finish(self) -> None:
        """Reads what is left of the last line."""
    def __len__(self) -> int: ...
    @property
    def problem(self) -> tuple[str, int, str] | None:
        """What is wrong with the first row that could not be read: kind, line and text; None if nothing."""
    @property
    def uniform(self) -> bool:
        """Whether all rows have the same features in the same order."""
    @property
    def has_queries(self) -> bool:
        """Whether rows have a query."""
    @property
    def has_documents(self) -> bool:
        """Whether rows name their document."""
    @property
    def grades(self) -> Any:
        """The grade of each row."""
    @property
    def values(self) -> Any:
        """The features' values, row after row."""
    @property
    def numbers(self) -> Any:
        """The features' numbers: of one row where all rows are alike, else row after row."""
    @property
    def begins(self) -> Any:
        """Where the features of each row begin; empty where all rows are alike."""
    @property
    def lines(self) -> Any:
        """The line of each row."""
    @property
    def sizes(self) -> Any:
        """How many rows each query has."""
    def queries(self) -> list[str]:
        """The queries, in their order in the text."""
    def documents(self) -> list[str]:
        """The documents, in their order in the text."""

class JsonDicts:
    """One JSON object of queries with their documents and numbers, read to rows."""

    def __init__(self, finite: bool, /) -> None: ...
    def add(self, block: bytes, /) -> None:
        """Reads a block."""
    def finish(self, threads: int, /) -> Rows:
        """All rows, grouped by query."""
    @property
    def query(self) -> str:
        """The query that was read last."""

class MatchOptions:
    """How a run is put in order and met with judgments."""

    def __init__(
        self,
        ties: str,
        remove_unjudged: bool,
        single_precision: bool,
        negative_unjudged: bool,
        depth: int | None,
    ) -> None: ...

class Rankings:
    """What is left of a run once it has met the judgments: the ranks and grades of the judged documents, and the judged grades.

    >>> lists = idealist.Rankings.from_grades([[3, None, 0]]).native
    >>> len(lists), lists.query(0)
    (1, (3, [1, 3], [3.0, 0.0], [3.0, 0.0]))
    """

    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def queries(self) -> list[str]:
        """The names of the queries.

        >>> idealist.Rankings.from_grades([[3], [0]]).native.queries()
        ['0', '1']
        """
    def name(self, query: int, /) -> str:
        """The name of a query.

        >>> idealist.Rankings.from_grades([[3], [0]]).native.name(1)
        '1'
        """
    def query(self, query: int, /) -> tuple[int, list[int], list[float], list[float]]:
        """Of one query: how many documents were retrieved, the ranks and grades of the judged ones, and all judged grades, highest first.

        >>> idealist.Rankings.from_grades([[1, None, 3]]).native.query(0)
        (3, [1, 3], [1.0, 3.0], [3.0, 1.0])
        """
    def longest(self) -> int:
        """The most documents that a query has, retrieved or judged.

        >>> idealist.Rankings.from_grades([[1, None, 3], [2]]).native.longest()
        3
        """
    def levels(self) -> list[float]:
        """The judged grades that occur, lowest first.

        >>> idealist.Rankings.from_grades([[1, None, 3], [1]]).native.levels()
        [1.0, 3.0]
        """
    def highest_grade(self) -> float:
        """The highest judged grade; 0 if none is above.

        >>> idealist.Rankings.from_grades([[1, None, 3]]).native.highest_grade()
        3.0
        """
    def missing(self) -> list[int]:
        """The places of the judged queries that the run does not have.

        >>> idealist.Rankings.from_grades([[1], [0]]).native.missing()  # of lists by hand, none
        []
        """
    def empty(self) -> list[int]:
        """The places of the queries without a judged document of a grade above 0.

        >>> idealist.Rankings.from_grades([[1], [0]]).native.empty()
        [1]
        """

class Gain:
    """What grades are worth: the grade (linear), 2^grade - 1 (exp), or what a table of grades and gains says (table).

    Negative grades are worth 0 unless `negative_counts`.

    >>> lists = idealist.Rankings.from_grades([[3, 0, 1]]).native
    >>> memoryview(kernels.gains(lists, kernels.Gain("exp", False, []))).tolist()
    [7.0, 0.0, 1.0]
    """

    def __init__(self, kind: str, negative_counts: bool, table: Sequence[tuple[float, float]], /) -> None: ...

def duplicate_rows(rows: Rows, most: int, threads: int, /) -> tuple[int, list[tuple[int, int, int, int]]]:
    """How many rows repeat a document of their query, and the first of them: query and row of both."""

def lookalike_rows(
    rows: Rows, other: Rows | None, most: int, threads: int, /
) -> tuple[int, list[tuple[int, int, int, int]]]:
    """How many ids of a query look like another, but for case, zeros before a number or blanks around it, and the first of them."""

def own_ids(rows: Rows, most: int, /) -> tuple[int, list[tuple[int, int]], list[int]]:
    """How many rows have the id of their query as their document, the first of them, and their queries."""

def ids_with_space(rows: Rows, most: int, /) -> tuple[int, list[tuple[int, int]], list[int]]:
    """How many rows have blanks in an id, the first of them, and their queries."""

def ids_beyond_ascii(rows: Rows, most: int, /) -> tuple[int, list[tuple[int, int]], list[int]]:
    """How many rows have letters beyond ASCII in an id, the first of them, and their queries."""

def scattered_queries(rows: Rows, /) -> list[int]:
    """The queries whose rows do not stand together."""

def infinite_rows(rows: Rows, /) -> int:
    """How many numbers are infinite."""

def row_numbers(rows: Rows, /) -> Values:
    """The numbers of all rows, query by query."""

def row_counts(rows: Rows, /) -> Values:
    """How many rows each query has."""

def row_line(rows: Rows, query: int, row: int, /) -> int:
    """The line that a row was read from."""

def row_document(rows: Rows, query: int, row: int, /) -> str:
    """The document of a row."""

def delimited_lines(
    delimiter: str,
    quotes: bool,
    header: bool,
    columns: int,
    query: int,
    document: int,
    number: int,
    rank: bool,
    finite: bool,
    decimal: str,
    /,
) -> LineParser:
    """Lines of CSV, TSV and the like, by the places of their columns."""

def json_lines(query: str, document: str, number: str, rank: bool, finite: bool, /) -> LineParser:
    """Lines of JSON objects, by the names of their fields."""

def read_file(descriptor: int, size: int, lines: str | LineParser, threads: int, /) -> Rows:
    """The rows of a file of text, which must not change while it is read."""

def rows_from_dict(queries: dict[Any, Any], finite: bool, threads: int, /) -> Rows | None:
    """The rows of a dict of dicts; None if it is not as simple as that."""

def values_by_query(
    queries: Iterable[str], judgments: Rows, names: Sequence[str], columns: Sequence[Values], /
) -> dict[str, dict[str, float]]:
    """A dict for each query with its values by name; None for a value that is undefined."""

def match(run: Rows, judgments: Rows, options: MatchOptions, threads: int, /) -> Rankings:
    """The rankings that a run gives the judged queries."""

def match_dict(run: dict[Any, Any], judgments: Rows, options: MatchOptions, /) -> Rankings | None:
    """The same of a dict of dicts, which is not copied; None if it is not as simple as that."""

def packed(rankings: Rankings, /) -> bytes:
    """Rankings as bytes, for another process."""

def unpacked(packed: bytes, /) -> Rankings:
    """Rankings of the bytes that `packed` made."""

def rank_lists(
    lists: Sequence[Sequence[float | None]],
    judged: Sequence[Sequence[float]],
    options: MatchOptions,
    /,
) -> Rankings:
    """Rankings of lists of grades in ranked order, None for an unjudged document, and of all judged grades."""

def rank_matrix(scores: Any, grades: Any, options: MatchOptions, threads: int, /) -> Rankings:
    """Rankings of matrices of scores and grades: a row is a query, a column a document."""

def discounted_gains(
    rankings: Rankings,
    gain: Gain,
    discounts: Sequence[float],
    k: int | None,
    threads: int,
    /,
) -> Values:
    """Σ gain · discount over the first k ranks."""

def ideal_gains(
    rankings: Rankings,
    gain: Gain,
    discounts: Sequence[float],
    k: int | None,
    retrieved_only: bool,
    threads: int,
    /,
) -> Values:
    """Σ gain · discount over the first k ranks of the best order of all judged documents, or of the retrieved ones."""

def hits(rankings: Rankings, level: float, k: int | None, threads: int, /) -> Values:
    """How many documents of at least this grade are among the first k."""

def hits_within(rankings: Rankings, level: float, k: Values, threads: int, /) -> Values:
    """How many documents of at least this grade are among the first ones, with a cut-off for each query."""

def any_hit(rankings: Rankings, level: float, k: int | None, threads: int, /) -> Values:
    """Whether a document of at least this grade is among the first k."""

def reciprocal_rank(rankings: Rankings, level: float, k: int | None, threads: int, /) -> Values:
    """1 / rank of the first document of at least this grade, 0 where none is among the first k."""

def precision_sum(rankings: Rankings, level: float, k: int | None, threads: int, /) -> Values:
    """Σ precision at the rank of each document of at least this grade among the first k."""

def relevant(rankings: Rankings, level: float, /) -> Values:
    """How many judged documents are of at least this grade."""

def retrieved(rankings: Rankings, k: int | None, /) -> Values:
    """How many documents were retrieved, no more than k."""

def gains(rankings: Rankings, gain: Gain, /) -> Places:
    """The gain of each judged document."""

def ranks(rankings: Rankings, /) -> Places:
    """The rank of each judged document."""

def grades(rankings: Rankings, /) -> Places:
    """The grade of each judged document."""

def ideal_ranks(rankings: Rankings, /) -> Places:
    """The rank of each judged document in the ideal order."""

def ideal_order(rankings: Rankings, /) -> Rankings:
    """The judged documents, best first."""

def condensed(rankings: Rankings, /) -> Rankings:
    """The lists without their unjudged documents."""

def cut_short(rankings: Rankings, depth: int, /) -> Rankings:
    """The first ranks of the lists."""

def filled(rankings: Rankings, grade: float, depth: int | None, padded: bool, /) -> Rankings:
    """Every unjudged document with a grade."""

def best_of_ties(rankings: Rankings, /) -> Rankings:
    """Documents of equal score in the best order."""

def worst_of_ties(rankings: Rankings, /) -> Rankings:
    """Documents of equal score in the worst order."""

def tied(rankings: Rankings, /) -> list[int]:
    """The places of the queries for which the order of documents of equal score may matter."""

def part(rankings: Rankings, begin: int, end: int, /) -> Rankings:
    """Some neighbouring queries."""

def chosen(rankings: Rankings, queries: Sequence[int], /) -> Rankings:
    """Some queries."""

def regraded(rankings: Rankings, gain: Gain, /) -> Rankings:
    """The gains in the place of the grades."""

def by_group(
    numbered: Rankings,
    begin: Sequence[int],
    group: Sequence[int],
    grade: Sequence[float],
    groups: Sequence[int],
    /,
) -> Rankings:
    """The documents of each group as a list of its own."""

def rank_items(
    run: Rows, queries: Rows, items: Rows, options: MatchOptions, threads: int, /
) -> Rankings | tuple[str, str]:
    """The documents of a run with the numbers of their items in the place of grades; or a query and a document without one."""

def rank_against(run: Rows, reference: Rows, options: MatchOptions, threads: int, /) -> Rankings:
    """The documents of a reference that a run has too, with their rank in the reference in the place of grades."""

def list_window(rows: list[tuple[int, str, str, float]], before: int, /) -> Window:
    """Rows as (line, query, document, number) in a window, behind so many lines."""

def file_window(descriptor: int, size: int, lines: str | LineParser, begin: int, end: int, /) -> Window:
    """Some pieces of a file of text in a window."""

def piece_count(size: int, /) -> int:
    """How many pieces a file of so many bytes is cut into."""

def read_part(descriptor: int, threads: int, /) -> Rows:
    """The rows of one of the files that `Partitions` wrote."""

def arrow_of(rows: Rows, number: str, /, most_text: int = 2147483647) -> object:
    """A capsule with a stream of batches, none of whose columns has more than so many bytes of text."""

def rows_from_arrays(
    sizes: Any,
    documents: Any,
    values: Any,
    query_names: Sequence[str],
    document_names: Sequence[str],
    threads: int,
    /,
) -> Rows:
    """The rows of arrays: how many documents each query has, which ones, and their numbers."""

def unite(runs: Sequence[Rows], options: MatchOptions, threads: int, /) -> Union:
    """Several runs side by side."""

def lambda_gradients(
    scores: Any,
    worth: Any,
    stops: Any,
    begin: Any,
    scale: Any,
    discounts: Any,
    form: str,
    sigmoid: float,
    highest: int,
    normalised: bool,
    gradient: Any,
    hessian: Any,
    threads: int,
    /,
) -> None:
    """Writes gradients and second derivatives of scores by what exchanging two documents changes of a measure."""

def exchange_gradients(
    scores: Any,
    changes: Any,
    sigmoid: float,
    normalised: bool,
    gradient: Any,
    hessian: Any,
    threads: int,
    /,
) -> None:
    """The same for queries of equal length in ranked order, from changes that are given for each pair of ranks."""

def tree_scores(
    cells: Any,
    features: Any,
    numbers: Any,
    left: Any,
    right: Any,
    missing: Any,
    roots: Any,
    weights: Any,
    offset: float,
    scores: Any,
    threads: int,
    /,
) -> None:
    """Writes the scores that weighed regression trees give rows of features."""
