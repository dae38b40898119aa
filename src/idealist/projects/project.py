"""A project: what its file states of judgments and runs, and how they are measured and compared."""

from __future__ import annotations

import os

from idealist.base.frozen import Frozen
from idealist.data.source_names import expanded, is_elsewhere
from idealist.errors import InputError
from idealist.projects.settings import CRITERION, VOTES_DECIDE, stated_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from idealist.comparison.comparison import Comparison
    from idealist.data import RunFile
    from idealist.evaluation import Evaluation

# What `evaluate` takes under the names that the file has, and what `compare` takes besides; those that go with the project's
# own queries, and those of them that are files.
EVALUATING = ("conventions", "weights", "weight_by", "machine", "calibrate")
COMPARING = ("segments", "segment_by", "shares", "tests", "interval", "confidence", "rounds", "seed")
OF_QUERIES = ("weights", "weight_by", "machine", "calibrate", "segments", "segment_by", "shares")
FILES = ("weights", "machine", "segments")


class Project(Frozen):
    """What a project file states: settings by their keys, and its tables of guards, judge and search engine.

    `source` is the file and `text` its content. Paths are as they stand there: `paths` gives them from the working
    folder."""

    source: str
    text: str
    settings: Mapping[str, Any] = {}
    guards: Mapping[str, Any] = {}
    judge: Mapping[str, Any] = {}
    search: Mapping[str, Any] = {}

    def relative(self, named: str) -> str:
        """A file from the working folder; a data set or the address of a workbench as it is."""
        return named if is_elsewhere(named) else os.path.join(os.path.dirname(self.source), named)

    def path(self, key: str) -> str | None:
        """The one file that a key names; None where it names none."""
        named = self.settings.get(key)
        return None if named is None else self.relative(named)

    @property
    def runs(self) -> list[str]:
        """The files of runs; baseline and candidate where no others are named. The baseline is among them."""
        sides = [
            self.settings[side]
            for side in ("baseline", "candidate")
            if side in self.settings and "judgments" in self.settings
        ]
        if "runs" not in self.settings:
            return [self.relative(side) for side in sides]
        files = expanded([self.relative(run) for run in self.settings["runs"]])
        names = {name for file in files for name in _names(file)}
        more = [self.relative(side) for side in sides[:1] if not names & {side, self.relative(side)}]
        return [*more, *files]

    def run(self, side: str) -> str:
        """The file of a side: one of the runs by its name, or a file of its own."""
        stated = self.settings[side]
        if "runs" in self.settings:
            for file in expanded([self.relative(run) for run in self.settings["runs"]]):
                if stated in _names(file):
                    return file
        return self.relative(stated)

    @property
    def numbers(self) -> list[str]:
        """The tables of numbers of all systems, or those of the sides."""
        stated = self.settings.get("numbers", ())
        return [self.relative(path) for path in (stated.values() if isinstance(stated, dict) else stated)]

    @property
    def measures(self) -> list[str]:
        """What is measured, what decides first."""
        decides = self.settings.get("measure")
        first = [] if decides in (None, VOTES_DECIDE, CRITERION) else [decides]
        return list(dict.fromkeys([*first, *self.settings.get("measures", ())]))

    def columns_of(self, whose: str) -> dict[str, str] | None:
        """Our names of the columns of one kind of files: those with its name before them, and those that say of none.
        Of runs, all that are said of runs and judgments."""
        stated = self.settings.get("columns") or {}
        if whose == "run":
            return {
                key: name for key, name in stated.items() if key.partition(".")[0] not in ("votes", "numbers")
            } or None
        own = {
            key.removeprefix(f"{whose}."): name for key, name in stated.items() if key.startswith(f"{whose}.")
        }
        ranked = "judgments" in self.settings or "runs" in self.settings
        of_all = {} if ranked else {key: name for key, name in stated.items() if "." not in key}
        return of_all | own or None

    def stated(self, keys: Iterable[str]) -> dict[str, Any]:
        """The values of those of the keys that the file states, of files from the working folder."""
        return {
            key: self.path(key) if key in FILES else self.settings[key]
            for key in keys
            if key in self.settings
        }

    @property
    def deciding(self) -> dict[str, Any]:
        """What `Comparison.verdict` takes: margin, policy, guards, their margins, and the rate of unjudged documents."""
        from idealist.comparison.comparison import GUARDS

        how = {key: self.settings[key] for key in ("margin", "policy") if key in self.settings}
        margins = {
            name: margin for name, margin in self.guards.get("measures", {}).items() if margin is not None
        }
        if "segment_margin" in self.guards and "segments" in self.settings:
            margins["segments"] = self.guards["segment_margin"]
        if margins:
            how["guard_margins"] = margins
        if any(self.guards.get(name) is False for name in GUARDS):
            how["guards"] = [name for name in GUARDS if self.guards.get(name) is not False]
        if "unjudged_rate" in self.guards:
            how["unjudged_rate"] = self.guards["unjudged_rate"]
        return how

    def read_judgments(self, source: Any = None) -> Any:
        """Judgments as the file says that they are read; those of the project where no others are named."""
        from idealist.data.reading import read_judgments

        named = self.path("judgments") if source is None else source
        if named is None:
            raise InputError(
                "no judgments are named", source=self.source, hint='judgments = "FILE", in the first lines'
            )
        return read_judgments(named, **self._reading("judgments"))

    def run_file(self, path: str | os.PathLike[str]) -> RunFile:
        """A run as the file says that it is read."""
        from idealist.data import RunFile

        return RunFile(path, **self._reading("run"))

    def _reading(self, kind: str) -> dict[str, Any]:
        """How files of a kind are read."""
        from idealist.data.column_names import columns_of
        from idealist.data.format_list import format_named

        columns = self.columns_of("run")
        text = {
            key: None if key not in self.settings else stated_for(self.settings[key], kind)
            for key in ("encoding", "decimal")
        }
        formats = [
            stated
            for part in self.settings.get("input_format", "").split(",")
            if (stated := stated_for(part, kind)) and kind in format_named(stated).carries
        ]
        return {
            **text,
            "columns": None if columns is None else columns_of(columns, kind) or None,
            "format": formats[-1] if formats else None,
            "query_sizes": self.path("query_sizes"),
        }

    def evaluate(self, **stated: Any) -> Evaluation:
        """The runs of the project by its judgments, measures and conventions; arguments of `evaluate` go before them."""
        from idealist.evaluation import evaluate

        return evaluate(**{**self._measured(), **stated})

    def compare(self, **stated: Any) -> Comparison:
        """The runs of the project with its baseline; arguments of `compare` go before what the file states."""
        from idealist.comparison.comparing import compare

        how = {**self._measured(), **self.stated(COMPARING), **stated}
        if "baseline" in self.settings and "baseline" not in stated:
            how["baseline"] = self._system(how.get("runs"))
        return compare(**how)

    def _system(self, runs: Any) -> str:
        """The baseline by the name that its system has among the runs."""
        from idealist.comparison.comparing import baseline_named
        from idealist.data import RunFile

        baseline: str = self.settings["baseline"]
        if not (isinstance(runs, list) and all(isinstance(run, RunFile) for run in runs)):
            return baseline
        by_file = {run.source: str(run.name) for run in runs}
        return baseline_named(
            self.relative(baseline) if self.relative(baseline) in by_file else baseline,
            tuple(by_file.values()),
            by_file,
        )

    def _measured(self) -> dict[str, Any]:
        """What is measured and how, as `evaluate` takes it."""
        from idealist.data.query_numbers import read_numbers

        how: dict[str, Any] = {}
        if "judgments" in self.settings:
            how["judgments"] = self.read_judgments()
        if runs := self.runs:
            how["runs"] = [self.run_file(run) for run in runs]
        if numbers := self.numbers:
            reading = self._reading("numbers")
            how["numbers"] = read_numbers(
                numbers,
                columns=self.columns_of("numbers"),
                encoding=reading["encoding"],
                decimal=reading["decimal"],
            )
        if not how:
            raise InputError(
                "the project names neither judgments and runs nor numbers",
                source=self.source,
                hint='judgments = "shop.qrels" and runs = "runs/*.run"',
            )
        if measures := self.measures:
            how["measures"] = measures
        return how | self.stated(EVALUATING)


def _names(file: str) -> set[str]:
    """What a run may be called: its file, with its folder or not, and the file's name without its ending."""
    from idealist.data.source_names import parse_source

    return {file, os.path.basename(file), parse_source(file).name}
