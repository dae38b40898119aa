"""The rules of a gate, as a project file says them: this folder's idealist.toml, or one with a name of its own."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.projects.project import Project
from idealist.projects.reading import read_project, wrong
from idealist.projects.settings import (
    CRITERION,
    GUARDS,
    MEASURE,
    NOT_OF_GATES,
    SETTINGS,
    SIDES,
    SOURCES,
    VOTES_DECIDE,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from idealist.projects.settings import Setting

# The keys that a gate decides by, but for those that its guards have.
KEYS = {name: setting for name, setting in SETTINGS.items() if name not in NOT_OF_GATES}
# The keys whose values are paths; the systems of numbers alone are names.
PATHS = ("votes", "judgments", "query_sizes", "machine", "weights", "segments", "lock")


class Gate(Frozen):
    """The rules of a project: its settings and guards with their defaults, and the project that states them."""

    project: Project
    settings: Mapping[str, Any]
    guards: Mapping[str, Any]

    @property
    def source(self) -> str:
        """The file of the rules."""
        return self.project.source

    def names(self, key: str) -> bool:
        """Whether the file states a source."""
        return self.settings[key] is not None

    def path(self, key: str) -> str:
        """A file that the gate names, from its own folder; a data set or the address of a workbench as it is."""
        if key in SIDES:
            return self.project.run(key)
        return self.relative(self.settings[key])

    def columns_of(self, whose: str) -> dict[str, str] | None:
        """Our names of the columns of one kind of files."""
        return self.project.columns_of(whose)

    def relative(self, named: str) -> str:
        """A file from the working folder."""
        return self.project.relative(named)

    def inputs(self) -> Iterator[tuple[str, str]]:
        """Every file that decides, with its role; runs and tables of one side end in baseline or candidate."""
        for key in PATHS:
            if key != "lock" and self.settings[key] is not None:
                yield key, self.path(key)
        if self.names("judgments"):
            for side in SIDES:
                yield side, self.path(side)
        numbers = self.settings["numbers"] or ()
        if isinstance(numbers, dict):
            yield from ((f"numbers.{side}", self.relative(path)) for side, path in numbers.items())
        else:
            yield from (("numbers", self.relative(path)) for path in numbers)

    def files(self) -> Iterator[str]:
        """Every file that the gate names, the lock too."""
        yield from (path for _, path in self.inputs())
        if self.settings["lock"] is not None:
            yield self.path("lock")


def read_gate(path: str) -> Gate:
    """The rules in a project file; what would change nothing there is an error."""
    project = read_project(path)
    named = tuple(source for source in SOURCES if source in project.settings)
    if not named:
        raise InputError(
            "this gate names nothing to decide by",
            source=path,
            hint="judgments, baseline and candidate are for runs; numbers and votes are the names of tables",
        )
    settings = _with_defaults(project, "", project.settings, KEYS, named)
    guards = _with_defaults(project, "guards.", project.guards, GUARDS, named)
    if settings["measure"] is None and project.measures and (settings["judgments"] or settings["numbers"]):
        settings["measure"] = project.measures[0]
    _require_together(path, project.text, settings, guards)
    settings["measure"] = settings["measure"] or (MEASURE if settings["judgments"] else VOTES_DECIDE)
    return Gate(project, settings, guards)


def _with_defaults(
    project: Project,
    prefix: str,
    stated: Mapping[str, Any],
    known: Mapping[str, Setting],
    sources: tuple[str, ...],
) -> dict[str, Any]:
    """Every key with its value or default; `sources` are those that are named."""
    for name in stated:
        if name in known and known[name].of and not set(known[name].of) & set(sources):
            message = f"{prefix + name} changes nothing without {' or '.join(known[name].of)}"
            raise wrong(project.source, project.text, name, message, "leave it out")
    return {name: stated.get(name, setting.preset) for name, setting in known.items()}


def _require_together(path: str, text: str, settings: Mapping[str, Any], guards: Mapping[str, Any]) -> None:
    """Raises for keys that lack another."""
    for side in SIDES:
        if settings[side] is None and (settings["judgments"] or settings["numbers"]):
            raise InputError(
                f"there is no key {side!r}, which a gate needs",
                source=path,
                hint=f'{side} = "…" names {KEYS[side].about}',
            )
    if (
        settings["measure"] is None
        and settings["numbers"]
        and not settings["judgments"]
        and not settings["votes"]
    ):
        raise InputError(
            "there is no key 'measure'",
            source=path,
            hint='measure = "faithfulness" names the column that decides',
        )
    alone = settings["numbers"] and not settings["judgments"]
    if alone and settings["baseline"] == settings["candidate"]:
        raise wrong(
            path,
            text,
            "candidate",
            f"baseline and candidate are both {settings['baseline']!r}",
            "name two systems of the numbers",
        )
    used = settings["measure"] == CRITERION or CRITERION in guards["measures"]
    if used != (settings[CRITERION] is not None):
        raise wrong(
            path,
            text,
            CRITERION if settings[CRITERION] else "measure",
            f'measure = "{CRITERION}" and the table [{CRITERION}] go together',
            f'measure = "{CRITERION}" decides by it; [{CRITERION}] has a line for each measure, such as "nDCG@10" = 1.0',
        )
    if settings["measure"] == VOTES_DECIDE and not settings["votes"]:
        raise wrong(path, text, "measure", 'measure = "votes", and no votes are named', 'votes = "votes.csv"')
    measured = settings["judgments"] or settings["numbers"]
    if settings["measure"] not in (None, VOTES_DECIDE) and not measured:
        message = "measure changes nothing without judgments or numbers"
        raise wrong(path, text, "measure", message, "leave it out: the votes decide")
    if settings["segment_by"] is not None and settings["segments"] is None:
        message = "segment_by is a column of segments, and no table of them is named"
        raise wrong(path, text, "segment_by", message, 'segments = "queries.csv"')
    if settings["shares"] is not None and settings["segments"] is None:
        message = "shares are of segments, and no table of them is named"
        hint = 'segments = "queries.csv", and segment_by = "country" for its column'
        raise wrong(path, text, "shares", message, hint)
    if settings["lock_days"] is not None and settings["lock"] is None:
        raise wrong(
            path, text, "lock_days", "lock_days needs a lock file, and none is named", 'lock = "gate.lock"'
        )
