"""From an uploaded file to a source of a project: read by `io`, checked by `check`, stored whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath

from idealist.base.frozen import Frozen
from idealist.checks import CheckedFile, CheckResult, Finding, Location, check
from idealist.data.column_names import DOCUMENT, QUERY
from idealist.data.detection import kind_of_source, names_of_source
from idealist.data.reading import read_judgments, read_runs
from idealist.data.source_names import PART_MARK
from idealist.data.tables import read_table
from idealist.errors import InputError
from idealist.projects.reading import read_project
from idealist.projects.settings import PROJECT_FILE
from idealist.web.base.schema import documents, queries
from idealist.web.base.stored_files import fitting_name
from idealist.web.projects.archives import is_archive, require_bounded, unpack
from idealist.web.projects.project_sources import KINDS, add_source, judgments_of, replace_contents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from sqlalchemy import Table

    from idealist.data.columns import Columns
    from idealist.web.workbench import Workbench


# What people call the columns of documents; ids have the names that runs know them by, and those of BEIR's corpora.
TITLES = ("title", "name", "headline")
TEXTS = ("text", "body", "content", "contents", "description", "abstract", "passage")
URLS = ("url", "link", "href")
IMAGES = ("image", "image_url", "img", "thumbnail", "picture")
IDS = ("_id", "id")
QUERY_TEXTS = ("text", "query_text", "title", "question")
SEGMENT = "segment"  # of queries, which comparisons can be split by
LONGEST_ID = 400
LONGEST_NAME = 200
# Where a command would be given an option: the page and the API have fields of the same names.
OPTION = re.compile(r"--(columns|encoding) (\S+), or \1=.+? in Python")


class Upload(Frozen):
    """A file that was uploaded: where it lies, what the person calls it, what it holds and what columns are called if they
    said so, which table of a database or sheet of a workbook is meant, and the encoding of text that is not UTF-8."""

    path: Path
    filename: str
    kind: str | None = None
    name: str | None = None
    columns: Mapping[str, str] | None = None
    part: str | None = None
    encoding: str | None = None

    @property
    def source(self) -> str:
        """The file, or the part of it that is meant, as `io` names it."""
        return f"{self.path}{PART_MARK}{self.part}" if self.part else str(self.path)


def import_file(workbench: Workbench, project: int, upload: Upload, *, user: int | None = None) -> list[int]:
    """Adds the sources that a file holds: one, a run for each system that it names, or those of all files of a zip archive.

    The file must be called as the person calls it: messages name it. What is wrong with it is an InputError, which says
    the same as the command, and then nothing was changed.
    """
    folder = f"{upload.path.parent}{os.sep}"
    try:
        if not upload.path.stat().st_size:
            raise InputError(
                "the file is empty", source=str(upload.path), hint="choose another file", code="no-rows"
            )
        require_bounded(upload.path, workbench.settings.largest_upload)
        if is_archive(upload.path):
            prepared = _read_archive(workbench, project, upload)
        else:
            prepared = _read_file(workbench, project, upload)
    except InputError as error:
        raise reworded(error, lambda text: without_options(text.replace(folder, ""))) from None
    with workbench.database.writing() as connection:
        added = []
        for source in prepared:
            added.append(add_source(connection, project, user=user, **source.facts))
            if source.rows is not None:
                replace_contents(connection, source.table, project, source.rows)
        return added


def without_options(hint: str) -> str:
    """A hint of a command for people who fill in a form.

    >>> without_options("name its encoding: --encoding cp1252, or encoding='cp1252' in Python; or save it as UTF-8")
    'name its encoding: cp1252; or save it as UTF-8'
    >>> without_options("there are uid, sku; name it: --columns grade=sku, or columns={'grade': 'sku'} in Python")
    'there are uid, sku; name it: grade=sku'
    """
    return OPTION.sub(r"\2", hint)


class Prepared(Frozen):
    """A source that was read and checked: what is stored of it; rows of texts with the table that they go to."""

    facts: dict[str, Any]
    rows: list[dict[str, str]] | None = None

    @property
    def table(self) -> Table:
        return documents if self.facts["kind"] == "documents" else queries


def _read_archive(workbench: Workbench, project: int, upload: Upload) -> list[Prepared]:
    """All files of a zip archive: if one of them cannot be read, none is added."""
    folder = upload.path.parent / "archive"
    prepared: list[Prepared] = []
    members = unpack(upload.path, folder, upload.part)
    try:
        stated = _stated_in([path for path, _ in members])
    except InputError as error:
        raise reworded(
            error, lambda text: text.replace(f"{folder}{os.sep}", ""), before=f"{upload.filename}: "
        ) from None
    columns, encoding = upload.columns or stated.get("columns"), upload.encoding or stated.get("encoding")
    for path, kind in members:
        if path.name == PROJECT_FILE:
            continue
        name = _stem(upload) if kind == "judgments" else None
        member = Upload(path, path.name, kind or upload.kind, name, columns, encoding=encoding)
        try:
            require_bounded(path, workbench.settings.largest_upload)  # a packed file within an archive
            prepared += _read_file(workbench, project, member)
        except InputError as error:
            raise reworded(
                error, lambda text: text.replace(f"{folder}{os.sep}", ""), before=f"{upload.filename}: "
            ) from None
    return prepared


def _stated_in(members: Sequence[Path]) -> Mapping[str, Any]:
    """What the project file among the members of an archive says, if there is one."""
    files = [path for path in members if path.name == PROJECT_FILE]
    return read_project(str(files[0])).settings if files else {}


def _read_file(workbench: Workbench, project: int, upload: Upload) -> list[Prepared]:
    kind = upload.kind or _kind(upload)
    if kind not in KINDS:
        raise InputError(f"{kind!r} is not a kind of source", hint=f"name one of: {', '.join(KINDS)}")
    if kind in ("documents", "queries"):
        return [_read_table(upload, kind)]
    return [Prepared(facts) for facts in _read_rows(workbench, project, upload, kind)]


def _kind(upload: Upload) -> str:
    """What a file holds, by its columns."""
    kind = kind_of_source(upload.source, upload.columns)
    if kind is not None:
        return kind
    names = {name.lower() for name in names_of_source(upload.source) or ()}
    of_document = names & {*DOCUMENT, *IDS}
    if of_document and names & {*TITLES, *URLS, *IMAGES}:
        return "documents"
    if names & {*QUERY, *IDS} and names & {*QUERY_TEXTS}:
        return "queries"
    if of_document and names & {*TEXTS}:
        return "documents"
    if names:
        listed = ", ".join(names_of_source(upload.source) or ())
        raise InputError(
            f"the columns {listed} are not those of judgments (a grade), a run (a score), documents "
            "(a title or text) or queries (a text)",
            source=str(upload.path),
            hint="choose what it is, and name its columns: query=uid,document=sku,grade=label",
            code="unknown-columns",
        )
    raise InputError(
        "it cannot be told whether this is judgments, a run, documents or queries",
        source=str(upload.path),
        hint="choose what it is; a table needs titles, such as query, document and grade or score",
        code="unknown-format",
    )


def _read_rows(workbench: Workbench, project: int, upload: Upload, kind: str) -> list[dict[str, Any]]:
    size = upload.path.stat().st_size
    options: dict[str, Any] = {"columns": upload.columns, "encoding": upload.encoding}
    current = None if kind == "judgments" else judgments_of(workbench.database, project)
    against = (
        None if current is None else read_judgments(workbench.files.path(current.stored), name=current.name)
    )
    # Checked before it is read: then what the check takes of memory is free again.
    if kind == "judgments":
        result = check(judgments=upload.source, **options)
        collections: dict[str, Any] = {"": read_judgments(upload.source, **options)}
    else:
        result = check(against, upload.source, **options)
        collections = {run.name: run for run in read_runs(upload.source, **options).values()}
    findings = _findings_by_name(result, list(collections), kind, f"{upload.path.parent}{os.sep}")
    facts = []
    for number, (name, collection) in enumerate(collections.items()):
        if not len(collection):
            raise InputError(
                "it has no rows", source=str(upload.path), hint="choose another file", code="no-rows"
            )
        facts.append(
            {
                "kind": kind,
                "name": _bounded_name(
                    upload, (upload.name if len(collections) == 1 else None) or name or _stem(upload)
                ),
                "filename": upload.filename,
                "size": size,
                "rows": len(collection.rows),
                "queries": len(collection),
                "content_sha256": collection.sha256,
                "stored_sha256": workbench.files.store(collection),
                "findings": findings[number],
            }
        )
    return facts


def _stem(upload: Upload) -> str:
    return Path(upload.filename).stem


def _bounded_name(upload: Upload, name: str) -> str:
    """The name of a source, as long as the database has room for."""
    if len(name) > LONGEST_NAME:
        raise InputError(
            f"{upload.path}: the name {name[:40]!r}… has {len(name)} characters",
            hint=f"give it one of at most {LONGEST_NAME}",
        )
    return name


def _findings_by_name(result: CheckResult, names: list[str], kind: str, folder: str) -> list[dict[str, Any]]:
    """What check found of each run, or of the judgments, without the folder that the upload happens to lie in."""
    files = [file for file in result.files if file.kind == kind]
    if len(files) != len(names):
        files = files[:1] * len(names)
    without_folder = json.dumps(folder)[1:-1]
    return [
        json.loads(json.dumps(CheckResult((file,)).to_dict()).replace(without_folder, "")) for file in files
    ]


def check_result(record: Mapping[str, Any]) -> CheckResult:
    """What `check` found, from its JSON, so that `reporting` can show it."""
    files = []
    for file in record.get("files", ()):
        findings = tuple(
            Finding(
                finding["code"],
                finding["source"],
                finding["message"],
                finding["count"],
                tuple(Location(**place) for place in finding["examples"]),
                finding["hint"],
            )
            for finding in file["findings"]
        )
        facts = {field: file[field] for field in CheckedFile.fields if field != "findings"}
        files.append(CheckedFile(**facts, findings=findings))
    return CheckResult(tuple(files))


def _read_table(upload: Upload, kind: str) -> Prepared:
    table = read_table(upload.source, columns=upload.columns, encoding=upload.encoding)
    if not len(table):
        raise table.wrong("it has no rows", hint="choose another file", code="no-rows")
    rows = _document_rows(table) if kind == "documents" else _query_rows(table)
    digest = hashlib.sha256()
    for row in sorted(rows, key=lambda row: tuple(row.values())):
        digest.update(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
    facts = {
        "kind": kind,
        "name": _bounded_name(upload, upload.name or _stem(upload)),
        "filename": upload.filename,
        "size": upload.path.stat().st_size,
        "rows": len(rows),
        "queries": len(rows) if kind == "queries" else None,
        "content_sha256": digest.hexdigest(),
        "stored_sha256": None,
        "findings": {},
    }
    return Prepared(facts, rows)


def _document_rows(table: Columns) -> list[dict[str, str]]:
    named = {"title": TITLES, "text": TEXTS, "url": URLS, "image": IMAGES}
    columns = {part: column for part, names in named.items() if (column := table.find(*names))}
    column = table.named(*(name for name in DOCUMENT if name != "url"), *IDS)
    if not columns:
        raise table.wrong(
            "documents need a title, a text, a URL or an image", hint=f"there are {', '.join(table.names)}"
        )
    texts = {part: table.texts(name) for part, name in columns.items()}
    empty = [""] * len(table)
    return [
        {"document": id, **{part: _plain(texts.get(part, empty)[row]) for part in named}}
        for row, id in enumerate(_ids(table, column, "document"))
    ]


def _query_rows(table: Columns) -> list[dict[str, str]]:
    column = table.named(*QUERY, *IDS)
    text = table.find(*(name for name in QUERY_TEXTS if name != column))
    if text is None:
        raise table.wrong("queries need a column text", hint=f"there are {', '.join(table.names)}")
    named = {"text": text} | ({"segment": segment} if (segment := table.find(SEGMENT)) else {})
    texts = {part: table.texts(name) for part, name in named.items()}
    return [
        {"query": id, **{part: _plain(texts[part][row]) for part in named}}
        for row, id in enumerate(_ids(table, column, "query"))
    ]


def _ids(table: Columns, column: str, noun: str) -> list[str]:
    """The ids of a table, each of which is there once."""
    ids = table.ids(column)
    seen: dict[str, int] = {}
    for row, id in enumerate(ids):
        if id in seen:
            raise table.wrong(
                f"{noun} {id!r} appears twice", row, hint="keep one of the two rows", code="duplicate"
            )
        if len(id) > LONGEST_ID:
            raise table.wrong(
                f"the id of a {noun} has {len(id)} characters", row, hint=f"at most {LONGEST_ID}"
            )
        seen[id] = row
    return ids


def _plain(text: str) -> str:
    """Without the character 0, which PostgreSQL cannot store."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


@contextmanager
def saved_upload(
    workbench: Workbench,
    file: Any,
    *,
    kind: str | None = None,
    columns: str = "",
    name: str | None = None,
    part: str | None = None,
    encoding: str | None = None,
) -> Iterator[Upload]:
    """The file under its own name in a folder of its own, which is gone afterwards."""
    filename = plain_filename(file.filename or "")
    with tempfile.TemporaryDirectory(dir=workbench.files.folder, prefix="upload-") as folder:
        path = Path(folder) / filename
        with open(path, "wb") as out:
            shutil.copyfileobj(file.file, out, 1 << 20)
        yield Upload(path, filename, kind, name, parse_columns(columns), part, encoding)


def plain_filename(filename: str) -> str:
    """The name of a file without folders, and without what could lead into one.

    >>> plain_filename("../../etc/passwd"), plain_filename("C:\\\\runs\\\\bm25.run"), plain_filename("..")
    ('passwd', 'bm25.run', 'upload')
    """
    name = PureWindowsPath(PurePosixPath(filename).name).name
    name = "".join(character for character in name if character.isprintable() and character != ":")
    return fitting_name(name) if name.strip(". ") else "upload"


def parse_columns(text: str) -> dict[str, str] | None:
    """Ours=theirs, as --columns has it.

    >>> parse_columns("query=uid, document=sku")
    {'query': 'uid', 'document': 'sku'}
    """
    columns: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        ours, equals, theirs = (word.strip() for word in part.partition("="))
        if not (ours and equals and theirs):
            raise InputError(
                f"columns: {part!r} is not ours=theirs", hint="for example query=uid,document=sku"
            )
        columns[ours] = theirs
    return columns or None


def reworded(error: InputError, reword: Callable[[str], str], *, before: str = "") -> InputError:
    """The same error in other words, about the same place."""
    said = InputError(f"{before}{reword(error.message)}", hint=reword(error.hint), code=error.code)
    said.source = None if error.source is None else reword(error.source)
    said.line = error.line
    return said
