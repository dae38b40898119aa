"""The verb `check`: from judgments and runs, in files or memory, to findings."""

from __future__ import annotations

import os

from idealist import kernels
from idealist.base.named import other_names
from idealist.checks.findings import SEVERITIES, CheckedFile, CheckResult, Finding, known_codes
from idealist.checks.row_checks import Settings, Subject, judgment_findings, row_findings
from idealist.checks.run_checks import pair_findings, run_findings, tie_note
from idealist.checks.text_lines import read_text, text_findings
from idealist.data import Judgments, RichJudgments, Run, RunFile, as_run, read_judgments, read_run
from idealist.data.arguments import named_runs, require_order
from idealist.data.reading import ReadRequest, read_systems_with_duplicates, read_with_duplicates
from idealist.data.run import FrameRun
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from idealist.data.collection import Collection
    from idealist.types import GivenJudgments, GivenRuns

DEPTHS = (10, 100)


@other_names(qrels="judgments", qrel="judgments", run="runs")
def check(
    judgments: GivenJudgments | ReadRequest | None = None,
    runs: GivenRuns | Sequence[ReadRequest] = (),
    *,
    at: Sequence[int] = DEPTHS,
    max_grade: float | None = None,
    ignore: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
) -> CheckResult:
    """Checks judgments, runs, and the two together for errors and oddities.

    `runs` are a Run, a dict, a frame, the path of a file, or several of them; `judgments` likewise, but one. Files of TREC text
    are checked line by line too, and bad lines do not end the check. `at` are the ranks to which documents should be
    judged, `max_grade` the highest grade there is, `ignore` the codes of findings to leave out. `columns` says
    what the columns of files and frames are called; it, `encoding` and `decimal` are those of read_run.

    >>> result = check({"q1": {"D1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.5}}, ignore=["few-judged", "depth"])
    >>> for finding in result:
    ...     print(finding.severity, finding.code, finding.count)
    warning constant-scores 1
    warning id-case 1
    note unjudged-some 1
    """
    require_order(judgments, runs, verb="check(judgments, runs)")
    settings = Settings(at, max_grade, kernels.thread_count(threads))
    ignored = known_codes(ignore)
    read_options = {"columns": columns, "encoding": encoding, "decimal": decimal}
    judged_subject = None if judgments is None else _subject(judgments, "judgments", settings, read_options)
    files = [] if judged_subject is None else [_checked(judged_subject, None, ignored)]
    for name, given_run in _runs(runs):
        files += [
            _checked(subject, judged_subject, ignored)
            for subject in _run_subjects(given_run, settings, read_options, name)
        ]
    if not files:
        raise InputError("neither a run nor judgments were given", hint="give a run, judgments, or both")
    return CheckResult(tuple(files))


class _Unread:
    """A file that no reader understands."""

    def __init__(self, source: str, kind: str, reason: str) -> None:
        self.source, self.kind = source, kind
        message, _, hint = reason.partition("\nhint: ")
        self.finding = Finding("unreadable", source, message.removeprefix(f"{source}: "), hint=hint)


def _runs(run: Any) -> Iterator[tuple[str | None, Any]]:
    if _is_path(run):
        yield None, run
    elif isinstance(run, (list, tuple)):
        paths = [item for item in run if _is_path(item)]
        yield from ((None, path) for path in paths)
        if others := [item for item in run if not _is_path(item)]:
            yield from named_runs(others).items()
    else:
        yield from named_runs(run).items()


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike, ReadRequest))


def _run_subjects(
    given_run: Any, settings: Settings, read_options: dict[str, Any], name: str | None
) -> list[Subject | _Unread]:
    """A run, or those of a table of several systems, each by itself."""
    if isinstance(given_run, (str, os.PathLike)):
        given_run = ReadRequest(given_run, "run", shared_options=True, **read_options)
    if isinstance(given_run, ReadRequest) and os.path.isfile(given_run.path):
        source = given_run.source
        try:
            by_system = read_systems_with_duplicates(given_run, settings.threads)
        except InputError as error:
            return [_Unread(source, "run", str(error))]
        if by_system is not None:
            rows_by_name = {f"{source} ({system})": rows for system, rows in by_system.items()}
            return [
                Subject(name, Run.from_rows(rows, name=name, source=source), None, settings)
                for name, rows in rows_by_name.items()
            ]
    return [_subject(given_run, "run", settings, read_options, name)]


def _subject(
    source_given: Any, kind: str, settings: Settings, read_options: dict[str, Any], name: str | None = None
) -> Subject | _Unread:
    if isinstance(source_given, (str, os.PathLike)):
        return _from_file(ReadRequest(source_given, kind, shared_options=True, **read_options), settings)
    if isinstance(source_given, (RunFile, ReadRequest)):
        return _from_file(
            source_given.request if isinstance(source_given, RunFile) else source_given, settings
        )
    collection: Collection
    if isinstance(source_given, FrameRun):
        collection = read_run(source_given.frame.frame, columns=read_options["columns"])
    elif kind == "run":
        collection = as_run(source_given)
    elif isinstance(source_given, RichJudgments):
        collection = source_given.plain()
    else:
        collection = read_judgments(source_given, columns=read_options["columns"])
    return Subject(name or collection.name, collection, None, settings)


def _from_file(request: ReadRequest, settings: Settings) -> Subject | _Unread:
    source, kind = request.source, request.kind
    collection_type: Any = {"run": Run, "judgments": Judgments}[kind]
    try:
        if request.format in (None, "trec") and request.part is None and not os.path.isdir(request.path):
            text = read_text(request.path, kind, settings.threads, request.encoding)
            if text is not None:
                return Subject(
                    source, collection_type.from_rows(text.rows, name=source, source=source), text, settings
                )
        rows = read_with_duplicates(request, settings.threads)
        return Subject(source, collection_type.from_rows(rows, name=source, source=source), None, settings)
    except InputError as error:
        if source != "-" and not os.path.exists(request.path):
            raise
        return _Unread(source, kind, str(error))


def _checked(
    subject: Subject | _Unread, judged: Subject | _Unread | None, ignored: frozenset[str]
) -> CheckedFile:
    if isinstance(subject, _Unread):
        findings = [] if subject.finding.code in ignored else [subject.finding]
        return CheckedFile(subject.source, subject.kind, findings=tuple(findings))
    judged_subject = judged if isinstance(judged, Subject) and len(judged.rows) else None
    sorted_findings = [
        finding for finding in _findings(subject, judged_subject) if finding.code not in ignored
    ]
    sorted_findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return CheckedFile(
        subject.source,
        subject.collection.kind,
        len(subject.rows),
        len(subject.queries),
        subject.text.size if subject.text else None,
        judged_subject.source if judged_subject else None,
        tuple(sorted_findings),
    )


def _findings(subject: Subject, judged: Subject | None) -> Iterator[Finding]:
    if subject.text is not None:
        yield from text_findings(subject, subject.text)
    if len(subject.rows) == 0:
        yield subject.finding("empty", "it has no rows")
        return
    yield from row_findings(subject)
    if subject.collection.kind == "judgments":
        yield from judgment_findings(subject)
        return
    yield from run_findings(subject)
    if judged is None:
        yield from tie_note(subject)
    else:
        yield from pair_findings(judged, subject)
