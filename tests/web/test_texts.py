"""Every text is there in every language, with the same values in it, and is used."""

from __future__ import annotations

import re
import string

import pytest

from idealist.conventions import CHOICES
from idealist.votes.folded_votes import FOLDS
from idealist.web.access.accounts import ROLES
from idealist.web.access.members import MEMBER_ROLES
from idealist.web.access.page_words import GUARDS
from idealist.web.access.pages import FOLDER
from idealist.web.judging.rater_queue import BOTH, STRONGEST
from idealist.web.judging.task_making import LABELS, UNITS
from idealist.web.projects.project_sources import KINDS
from idealist.web.studies.study_results import PREFERENCES
from idealist.web.texts import LANGUAGES, preferred, texts

OUTBOX = (FOLDER / "static" / "js" / "outbox.js").read_text(encoding="utf-8")


def script_texts() -> set[str]:
    """The names of texts that the scripts of judging say, and those that they ask for by a state of the outbox."""
    scripts = ("judging.js", "packet.js")
    source = "".join((FOLDER / "static" / "js" / name).read_text(encoding="utf-8") for name in scripts)
    states = re.findall(r'state = "(\w+)"', OUTBOX) + re.findall(r'changed\("(\w+)"', OUTBOX)
    chosen = re.findall(r'texts\[whole \? "(\w+)" : "(\w+)"\]', source)
    return {*re.findall(r"texts\.(\w+)", source), *states, *(name for pair in chosen for name in pair)}


# Keys that templates make of a name: the prefix, and the names that there are.
MADE = {
    "role.": (*ROLES, *MEMBER_ROLES),
    "kind.": (*KINDS, *(f"{kind}.count" for kind in KINDS)),
    "choice.": tuple(CHOICES),
    "place.": ("line", "query", "document"),
    "check.": ("error", "warning", "note", "nothing"),
    "tab.": ("data", "evaluate", "explain", "compare", "tasks", "studies", "plan", "history", "exports"),
    "history.stale.": ("run", "judgments"),
    "compare.": (
        *("baseline", "system", "page.before", "page.after"),
        *("segments.none", "segments.column", "segments.words", "segments.relevant"),
    ),
    "lists.": ("before", "after", "now"),
    "task.kind.": ("grades", "sides"),
    "task.new.": ("grades", "sides"),
    "task.about.": ("grades", "sides"),
    "task.unit.": UNITS,
    "task.labels.": LABELS,
    "task.": ("closed", "reopen", "reopen.detail"),  # one of two
    "judge.side.": ("left", "right"),
    "judge.vote.": tuple(map(str, range(-STRONGEST, STRONGEST + 1))),
    "judge.both.": tuple(BOTH.values()),
    "judge.grade.": ("lowest", "highest"),
    "judge.": ("closed", "closed.detail"),
    "judge.js.": script_texts(),
    "plan.from.": ("all", "unjudged"),
    "study.fold.": FOLDS,
    "study.counted.": FOLDS,
    "study.vote.": ("good", "same", "bad"),
    "study.needed.": ("queries", "judgments"),
    "adjudicate.side.": ("left", "right"),
    "adjudicate.said.": tuple(PREFERENCES),
    "adjudicate.choose.": tuple(PREFERENCES),
    "adjudicate.detail.": ("votes", "grades"),
    "guard.": GUARDS.values(),
    "verdict.": (
        *("ship", "unchanged", "block", "undecided", "above", "below", "holds"),
        *("needed.queries", "needed.judgments"),
    ),
    "raters.": ("votes", "grades"),
    "raters.below.": ("votes", "grades"),
    "raters.alone.": ("votes", "grades"),
    "raters.matrix.": ("votes", "grades"),
    "explain.": ("gain", "discount", "ideal", "page.before", "page.after"),
}


def used_keys() -> set[str]:
    keys = {prefix + name for prefix, names in MADE.items() for name in names}
    for path in FOLDER.rglob("*.html"):
        keys |= set(re.findall(r"""\bt\(["']([\w.]+)["'](?! ~)""", path.read_text(encoding="utf-8")))
    for path in FOLDER.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        keys |= set(re.findall(r"""(?:\btext\(|heading=|detail=|key = )["']([\w.]+\.[\w.]+)["']""", source))
        keys |= set(re.findall(r'"(explain\.loss\.\w+)"', source))
    return keys


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_keys_are_those_in_use(language: str) -> None:
    known = texts(language).keys()
    assert used_keys() - known == set()
    assert known - used_keys() == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_has_the_values_of_the_english_one(language: str) -> None:
    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for key, text in texts("en").items():
        assert values(texts(language)[key]) == values(text), key
        assert texts(language)[key].strip(), key


def test_the_browser_chooses_the_language() -> None:
    assert preferred("zh-TW,zh;q=0.9,en;q=0.8") == "zh"
    assert preferred("en;q=0.5,zh;q=0.9") == "zh"
    assert preferred("de, fr;q=0.7") == "en"
    assert preferred(";;q=x,") == "en"
