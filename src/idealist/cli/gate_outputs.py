"""What a gate writes for CI besides what it prints: a Markdown summary, JUnit XML, annotations of GitHub Actions."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from idealist.base.frozen import Frozen
from idealist.cli.messages import write_to
from idealist.comparison.verdict import PASSING
from idealist.errors import IdealistError, InputError, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from idealist.cli.gate_file import Gate
    from idealist.cli.gate_running import GateDecision

SUITE = "idealist gate"
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


class GateOutputs(Frozen):
    """Where the outcome of a gate goes: `gate` is its file, `summaries` are added to, `junit` is written."""

    gate: str
    summaries: tuple[str, ...] = ()
    junit: str | None = None
    github: bool = False

    @classmethod
    def asked_for(cls, arguments: argparse.Namespace) -> GateOutputs:
        """Raises before anything is measured where something could not be written."""
        from idealist.cli.files import refuse_inputs, refuse_unwritable

        summaries = [arguments.summary] if arguments.summary else []
        if arguments.github:
            if not os.environ.get(STEP_SUMMARY):
                raise InputError(
                    f"--github is for GitHub Actions, and {STEP_SUMMARY} is not set",
                    hint="--summary FILE writes the summary elsewhere",
                )
            summaries.append(os.environ[STEP_SUMMARY])
        for path in (*summaries, *([arguments.junit] if arguments.junit else [])):
            refuse_unwritable(path)
            refuse_inputs(path, [arguments.gate])
        if arguments.junit and os.path.realpath(arguments.junit) in map(os.path.realpath, summaries):
            raise InputError(
                f"{arguments.junit}: this is the file of the summary too",
                hint="name another file for --junit",
            )
        return cls(arguments.gate, tuple(summaries), arguments.junit, arguments.github)

    def refuse_files_of(self, gate: Gate) -> None:
        """Raises where one of the outputs is a file that the gate names: it would be written over."""
        from idealist.cli.files import refuse_inputs

        for path in (*self.summaries, self.junit):
            refuse_inputs(path, gate.files())

    @contextmanager
    def errors_written(self) -> Iterator[None]:
        """What keeps the gate from deciding within a `with` statement is written to every output."""
        try:
            yield
        except IdealistError as error:
            self.write_error(error)
            raise

    def write_decision(self, decision: GateDecision, markdown: str) -> None:
        """The verdict, wherever it is asked for."""
        self._add_summary(markdown)
        verdict = decision.verdict
        failed = verdict.outcome not in PASSING
        cases = [("verdict", "failure" if failed else "", verdict.line)]
        cases += [
            (guard.name, "failure" if guard.stops else "", guard.message or guard.name)
            for guard in verdict.guards
        ]
        self._write_junit(cases)
        self._annotate("error" if failed else "notice", verdict.line)
        for name, problem, message in cases[1:]:
            if problem:
                self._annotate("error", f"{name}: {message}")
        for note in decision.notes:
            self._annotate("warning", note)

    def write_error(self, error: IdealistError) -> None:
        """What kept the gate from deciding: an error, not a pass."""
        from idealist.show.view import markdown_text

        lines = "".join(f"{markdown_text(line)}\n\n" for line in str(error).split("\n"))
        self._add_summary(f"### Verdict: none, the gate could not decide\n\n{lines}")
        self._write_junit([("verdict", "error", str(error))])
        self._annotate("error", str(error))

    def _add_summary(self, markdown: str) -> None:
        for path in self.summaries:
            with open(path, "a", encoding="utf-8", errors="backslashreplace") as opened:
                opened.write(f"{markdown.rstrip()}\n\n")

    def _write_junit(self, cases: list[tuple[str, str, str]]) -> None:
        if self.junit is not None:
            from idealist.cli.files import write_file

            write_file(self.junit, junit_text(self.gate, cases), force=True)

    def _annotate(self, level: str, message: str) -> None:
        if self.github and sys.stderr is not None:
            # On standard error, where GitHub reads it as well: standard output may be a JSON document.
            write_to(sys.stderr, annotation(level, self.gate, message) + "\n")


def annotation(level: str, file: str, message: str) -> str:
    """A line that GitHub Actions shows beside a file: its level is notice, warning or error.

    >>> annotation("error", "gate.toml", "50% worse,\\nat least")
    '::error file=gate.toml,title=idealist gate::50%25 worse,%0Aat least'
    """
    lines = "\n".join(visible(line) for line in message.split("\n"))
    return f"::{level} file={_property(visible(file))},title={SUITE}::{_data(lines)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def junit_text(gate: str, cases: list[tuple[str, str, str]]) -> bytes:
    """JUnit XML of test cases: each has a name, "failure", "error" or "" and a message."""
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    problems = [problem for _, problem, _ in cases]
    counts = {
        "tests": str(len(cases)),
        "failures": str(problems.count("failure")),
        "errors": str(problems.count("error")),
    }
    suites = Element("testsuites", counts)
    suite = SubElement(suites, "testsuite", {"name": SUITE, **counts})
    for name, problem, message in cases:
        case = SubElement(suite, "testcase", {"classname": _xml(gate), "name": _xml(name)})
        if problem:
            first = message.split("\n")[0]
            SubElement(case, problem, {"message": _xml(first)}).text = "\n".join(_lines(message))
        else:
            SubElement(case, "system-out").text = "\n".join(_lines(message))
    indent(suites)
    text: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _lines(text: str) -> Iterator[str]:
    return map(_xml, text.split("\n"))


def _xml(text: str) -> str:
    """Text that XML can hold: bytes of names that are no UTF-8 are written out, and so are U+FFFE and U+FFFF."""
    shown = visible(text).encode("utf-8", "backslashreplace").decode()
    return shown.replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
