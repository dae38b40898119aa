"""Frames whose rows are of several systems: a column says whose each row is."""

from __future__ import annotations

from contextlib import contextmanager

from idealist import kernels
from idealist.base.wording import and_more
from idealist.data.column_names import NUMBER_NAMES, find_roles, find_system, refuse_repeats
from idealist.data.columns import Columns
from idealist.data.streaming import WINDOW_ROWS, Matched, match_rows, match_windows
from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from idealist.data.judgments import Judgments


def column_names(frame: Any) -> list[str]:
    """The names of a frame's columns; none of a lazy one, which is refused wherever it is read."""
    if hasattr(frame, "collect"):
        return []
    names: Any = getattr(frame, "column_names", None)  # of pyarrow, whose `columns` are the cells
    if names is None:
        names = getattr(getattr(frame, "schema", None), "names", None)
    if names is None or callable(names):
        names = getattr(frame, "columns", ())
    return [str(name) for name in names]


def system_column(frame: Any, columns: Mapping[str, str] | None) -> str | None:
    """The frame's column of systems, if it has one."""
    return find_system(column_names(frame), columns)


def tables_by_system(frame: Any, columns: Mapping[str, str] | None) -> dict[str, Any] | None:
    """The rows of each system, as tables of pyarrow without that column; None where no column names systems."""
    column = system_column(frame, columns)
    if column is None:
        return None
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError:
        raise MissingDependency(
            "run: a frame of several systems needs pyarrow", hint="pip install 'idealist[tables]'"
        ) from None
    table = pyarrow.table(frame)
    views = {field.name for field in table.schema if str(field.type) == "string_view"}  # no filter takes them
    text = pyarrow.large_string()
    table = table.cast(
        pyarrow.schema(
            [field_of.with_type(text) if field_of.name in views else field_of for field_of in table.schema]
        )
    )
    cells = table.column(column).cast(pyarrow.string())
    if cells.null_count:
        raise InputError(f"run: the column {column!r} has nulls", hint="name the system of every row")
    return {
        system: table.filter(pyarrow.compute.equal(cells, system)).drop_columns([column])
        for system in cells.unique().to_pylist()
    }


def refuse_several(systems: Collection[str], source: str | None) -> None:
    """Raises where one run is meant and there are several."""
    if len(systems) > 1:
        raise InputError(
            f"this holds {len(systems)} systems: {listed_systems(systems)}",
            source=source,
            hint="choose one: --system NAME, or read_run(…, system=NAME) in Python, where read_runs gives all; "
            "evaluate, compare, report and fuse take all of them",
        )


def chosen_system(runs: Mapping[str, Any], system: str, source: str | None) -> Any:
    """The run of one system, of those by name."""
    if system not in runs:
        raise InputError(
            f"no system is called {system!r}", source=source, hint=f"name one of: {listed_systems(runs)}"
        )
    return runs[system]


def listed_systems(systems: Collection[str]) -> str:
    return ", ".join(list(systems)[:5]) + ", …" * (len(systems) > 5)


# The types of the interface, in words; the rest are named by what it calls them.
TYPES = {
    "u": "text",
    "U": "text",
    "vu": "text",
    "z": "binary",
    "Z": "binary",
    "vz": "binary",
    "c": "int8",
    "s": "int16",
    "i": "int32",
    "l": "int64",
    "C": "uint8",
    "S": "uint16",
    "I": "uint32",
    "L": "uint64",
    "e": "float16",
    "f": "float32",
    "g": "float64",
    "b": "boolean",
    "n": "null",
}
TEXT = frozenset(("u", "U", "vu", "z", "Z", "vz"))
WHOLE = frozenset("csilCSIL")
NUMBER = WHOLE | frozenset("efgbn")
OTHERS = {
    "+l": "list",
    "+L": "list",
    "+w": "list",
    "+s": "struct",
    "+m": "map",
    "+r": "run-end encoded",
    "t": "time",
}


class Frame:
    """A frame's columns query, document and score or grade, ready to be read.

    `source` is what messages call it.
    """

    def __init__(
        self,
        frame: Any,
        kind: str,
        *,
        columns: Mapping[str, str] | None = None,
        source: str | None = None,
    ) -> None:
        self.frame = frame
        self.kind = kind
        self.columns = columns
        self.source = source
        # What should be said of a run without scores.
        self.ranked: str | None = None
        self.whole_queries = False  # ids of queries are a column of whole numbers; known once it is read
        self.whole_documents = False  # likewise those of documents
        self._kept: kernels.ArrowReader | None = None

    def windows(self) -> Iterator[kernels.Window]:
        """The rows, a million or so at a time, for whoever asks, and again."""
        reader = self._reader()
        assert reader is not None, "only what speaks Arrow has windows"
        with self._as_input_errors():
            while (window := reader.next(WINDOW_ROWS)) is not None:
                yield window

    def regrouped(self) -> kernels.Window:
        """All rows at once, query by query."""
        reader = self._reader()
        assert reader is not None, "only what speaks Arrow has windows"
        with self._as_input_errors():
            return reader.regrouped(kernels.available_threads())

    def rows(self, threads: int, *, duplicates: bool = False) -> kernels.Rows:
        """All rows, checked; with `duplicates`, documents may be there twice."""
        self._require_one_system()
        if self._reader() is None:
            return self._plain_rows(threads)
        gathering = kernels.Gathering(threads)
        with self._as_input_errors():
            for window in self.windows():
                gathering.add(window)
            rows = gathering.rows(threads)
        self.refuse(rows, duplicates=duplicates)
        return rows

    def match(self, judgments: Judgments, options: kernels.MatchOptions, threads: int) -> Matched:
        """The rankings of a run, without a copy of it."""
        self._require_one_system()
        if self._reader() is None:
            rows = self._plain_rows(threads)
            return match_rows(rows, judgments, options, threads)
        # What was read from somewhere is not in memory.
        regrouped = None if self.source else self.regrouped
        with self._as_input_errors():
            matched = match_windows(
                self.windows,
                judgments,
                options,
                threads,
                refuse=self.refuse,
                regrouped=regrouped,
                source=self.source,
            )
        return matched if self.ranked is None else matched.replace(notes=(*matched.notes, self.ranked))

    def _require_one_system(self) -> None:
        """Raises if a run's frame has the rows of several systems. Those of files are told apart by their readers."""
        if self.kind != "run" or self.source is not None:
            return

        if system_column(self.frame, self.columns) is None:
            return
        tables = tables_by_system(self.frame, self.columns) or {}
        refuse_several(tables, self.kind)
        # A stream can be had once only, and was.
        self.frame = next(iter(tables.values()), self.frame)

    def refuse(self, rows: kernels.Rows | kernels.Partitions, *, duplicates: bool = False) -> None:
        """Raises what is wrong with rows, by the row's number."""
        if rows.problem is not None:
            kind, row, _, text, count = rows.problem
            number = NUMBER_NAMES[self.kind]
            if kind == "empty":
                message = f"the {number if text == 'number' else text} is null"
                hint = "fill it in, or leave the row out"
            else:
                message, hint = f"the {number} is {text}", "give a number, or leave the row out"
            raise InputError(
                f"{self._row_text(row)}{message}{and_more(count, 'row')}", source=self.source, hint=hint
            )
        if isinstance(rows, kernels.Rows) and rows.duplicate is not None and not duplicates:
            query, document, first, second, count = rows.duplicate
            raise InputError(
                f"{self._row_text(second)}document {document!r} appears twice for query {query!r}, "
                f"first in row {first}{and_more(count)}",
                source=self.source,
                hint="keep one of the two rows",
            )

    def _row_text(self, row: int) -> str:
        return f"row {row}: " if self.source else f"{self.kind}, row {row}: "

    def _reader(self) -> kernels.ArrowReader | None:
        """At its beginning; None when the frame has no Arrow to give: pandas before 2.2, or without pyarrow.

        A file's batches can be asked for again and are not kept. A frame is asked once, because many streams
        can be had once only, and what it gave is kept: most often that is what is in memory anyway.
        """
        if self._kept is not None:
            self._kept.rewind()
            return self._kept
        if not hasattr(self.frame, "__arrow_c_stream__"):
            return None
        try:
            capsule = self.frame.__arrow_c_stream__()
        except ImportError:
            return None
        except Exception as error:  # whatever a library raises about its own columns
            self._refuse_columns()
            first = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
            raise self._wrong(first) from None
        with self._as_input_errors():
            reader = kernels.ArrowReader(capsule)
        self._choose(reader)
        if not self.source:
            reader.keep()
            self._kept = reader
        return reader

    def _refuse_columns(self) -> None:
        """Raises for columns of pandas about which libraries speak in words of their own."""
        names = [str(name) for name in getattr(self.frame, "columns", ())]
        refuse_repeats(names, self.source or self.kind)
        for name in names:
            if self._dtype(name).startswith("Sparse"):
                raise InputError(
                    f"the column {name!r} is sparse",
                    source=self.source or self.kind,
                    hint=f"frame[{name!r}].sparse.to_dense() makes it a plain one",
                )

    def _dtype(self, name: str) -> str:
        """The type that the library has for a column, where Arrow does not carry it: that of pandas, or the name
        of an extension type of pyarrow."""
        try:
            if hasattr(self.frame, "dtypes") and hasattr(self.frame, "iloc"):
                return str(self.frame.dtypes[name])
            if hasattr(self.frame, "schema") and hasattr(self.frame.schema, "field"):
                return str(getattr(self.frame.schema.field(name).type, "extension_name", ""))
        except (KeyError, TypeError, AttributeError):
            pass  # a name that is no text, or a frame of another kind
        return ""

    @contextmanager
    def _as_input_errors(self) -> Iterator[None]:
        """Errors of the other library raised as errors about the frame."""
        try:
            yield
        except kernels.ArrowFailed as error:
            raise self._wrong(str(error)) from None

    def _plain_rows(self, threads: int) -> kernels.Rows:
        """The rows by way of Python's objects."""
        if hasattr(self.frame, "collect"):
            raise InputError(f"{self.kind}: this frame is lazy", hint="collect() it first")
        names = [str(name) for name in self.frame.columns]
        roles = find_roles(names, self.kind, self.columns, source=self.source or self.kind)
        chosen = {role: list(self.frame.columns)[at] for role, at in roles.items()}
        table = Columns(
            {role: self.frame[name].tolist() for role, name in chosen.items()}, source=self.source
        )
        query, document, number = roles
        self.whole_queries = not any(isinstance(name, str) for name in self.frame[chosen[query]])
        self.whole_documents = not any(isinstance(name, str) for name in self.frame[chosen[document]])
        queries: dict[str, dict[str, float]] = {}
        for row, (query_id, document_id) in enumerate(
            zip(table.ids(query), table.ids(document), strict=True)
        ):
            documents = queries.setdefault(query_id, {})
            if document_id in documents:
                raise table.wrong(f"document {document_id!r} appears twice for query {query_id!r}", row)
            value = table.number(number, row)
            documents[document_id] = -value if number == "rank" else value
        rows = kernels.rows_from_dict(queries, True, threads)
        assert rows is not None, "text and floats are plain"
        return rows

    def _choose(self, reader: kernels.ArrowReader) -> None:
        roles = find_roles(reader.names, self.kind, self.columns, source=self.source or self.kind)
        for role, at in roles.items():
            self._require(role, reader.names[at], reader.formats[at])
        self.whole_queries = _parts(reader.formats[roles["query"]])[1] in WHOLE
        self.whole_documents = _parts(reader.formats[roles["document"]])[1] in WHOLE
        number = next(role for role in roles if role not in ("query", "document"))
        reader.choose(
            roles["query"], roles["document"], roles[number], number == "rank", self.kind == "judgments"
        )
        if number == "rank":
            self.ranked = f"there is no column of scores: ranked by {reader.names[roles[number]]!r}"

    def _require(self, role: str, name: str, written: str) -> None:
        index, values = _parts(written)
        if role in ("query", "document"):
            good = values in TEXT or values in WHOLE or (values == "n" and not index)
            rule = "ids are text or whole numbers"
            if "period" in self._dtype(name):  # Arrow has a number for each, which is not what anyone sees
                raise InputError(
                    f"the column {name!r} holds periods, and {rule}",
                    source=self.source or self.kind,
                    hint=f"frame[{name!r}].astype(str) makes them text",
                )
        else:
            good = not index and (values in NUMBER or _is_decimal(values))
            rule = f"a {role} is a number"
        if not good:
            raise InputError(
                f"the column {name!r} is of type {_type_name(written)}, and {rule}",
                source=self.source or self.kind,
                hint="cast it, or name another column",
            )

    def _wrong(self, message: str) -> InputError:
        return InputError(
            f"the table cannot be read: {message}" if self.source else f"{self.kind}: {message}",
            source=self.source,
        )


def _is_decimal(written: str) -> bool:
    """d:precision,scale or d:precision,scale,bits: those of 256 bits are not read."""
    return written.startswith("d:") and not written.endswith(",256")


def _parts(written: str) -> tuple[str, str]:
    """The types of a dictionary's indices and values; of a plain column, nothing and its own."""
    if not written.startswith("dictionary<"):
        return "", written
    index, _, values = written.removeprefix("dictionary<").removesuffix(">").partition(",")
    return index, values


def _type_name(written: str) -> str:
    index, values = _parts(written)
    if values.startswith("d:"):
        name = "decimal"
    else:
        name = TYPES.get(values) or next(
            (word for sign, word in OTHERS.items() if values.startswith(sign)), values
        )
    return f"categorical {name}" if index else name
