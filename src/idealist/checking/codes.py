"""The codes of findings: name, severity, meaning, and what a repair does about them."""

from __future__ import annotations

from idealist.data.id_spelling import SPELLINGS
from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# From bad to harmless: an error makes numbers wrong or files unreadable, a warning makes numbers that may not be
# what you think, a note is good to know.
SEVERITIES = ("error", "warning", "note")

FEW_JUDGED = 5  # a query with fewer judged documents is worth a note
LARGE_GRADE = 100.0  # above this, a grade is rather a score, a count or a time
MATTERING = 0.001  # of a mean nDCG@10: what decides between systems is not smaller


class Code(Frozen):
    """One kind of finding."""

    name: str
    severity: str
    meaning: str
    repair: str = ""


CODES: dict[str, Code] = {
    code.name: code
    for code in (
        Code("unreadable", "error", "no reader understands the file"),
        Code("empty", "error", "there are no rows"),
        Code(
            "bad-line",
            "error",
            "a line has the wrong number of columns, or its score or grade is not a number",
            "with --drop-bad-lines they are left out; else the repair is refused",
        ),
        Code(
            "duplicate",
            "error",
            "a document appears twice for one query",
            "of a run the highest score is kept, of equal ones the first; of judgments one of equal lines",
        ),
        Code(
            "contradiction",
            "error",
            "a document has two different grades for one query",
            "refused, unless --keep says which grade",
        ),
        Code("grade-range", "error", "a grade is above --max-grade"),
        Code("no-shared-query", "error", "run and judgments have no query in common"),
        Code("missing-query", "warning", "a judged query is not in the run: it counts as 0"),
        Code("ties", "warning", f"equal scores, whose order could move mean nDCG@10 by {MATTERING} or more"),
        Code("constant-scores", "warning", "all documents of a query have the same score"),
        Code(
            "scores-ascending", "warning", "scores grow with the rank: is less better here, as for distances?"
        ),
        Code(
            "rank-order",
            "warning",
            "the rank column and the scores give different orders; measures go by the scores",
            "ranks are recomputed from the scores",
        ),
        Code(
            "score-infinite",
            "warning",
            "a score is infinite, as a number beyond 1.8e308 becomes: it ties with others that are",
        ),
        Code("grade-large", "warning", f"a grade above {LARGE_GRADE:g}: a score, a count or a time?"),
        Code(
            "unjudged",
            "warning",
            "more than half of the first documents, to the first k of --at, are not judged",
        ),
        Code(
            "several-systems",
            "warning",
            "the last column names several systems: are these two runs in one file?",
        ),
        Code("id-spaces", "warning", "an id with white space in it, which TREC files cannot hold"),
        *(
            Code(
                spelling.code,
                "warning",
                f"ids that differ only in {spelling.differ}",
                "with --join-ids, ids are written as in the judgments",
            )
            for spelling in SPELLINGS.values()
        ),
        Code(
            "line-ends",
            "warning",
            "line ends of several kinds, or carriage returns alone",
            "every line ends with a newline",
        ),
        Code(
            "byte-order-mark",
            "warning",
            "the file begins with a byte order mark, which other tools take for a part of the first query",
            "left out",
        ),
        Code("unjudged-query", "note", "a query of the run has no judgments: it is not measured"),
        Code(
            "ties-small",
            "note",
            "equal scores, whose order hardly moves nDCG@10, or without judgments to show it",
        ),
        Code("unjudged-some", "note", "how many of the first k documents are not judged"),
        Code("own-id", "note", "a query's own id is among its results"),
        Code("depth", "note", "no query has as many documents as the highest k of --at"),
        Code("depth-short", "note", "a query has fewer documents than most others have"),
        Code(
            "rank-start",
            "note",
            "the first rank is neither 0 nor 1",
            "ranks are recomputed from the scores",
        ),
        Code("rank-repeat", "note", "two documents of a query have the same rank", "ranks are recomputed"),
        Code(
            "rank-text",
            "note",
            "the rank column holds something other than numbers",
            "ranks are recomputed",
        ),
        Code("scattered", "note", "the rows of a query are not together", "rows are grouped by query"),
        Code("blank-lines", "note", "lines with nothing in them", "left out"),
        Code(
            "last-newline",
            "note",
            "the last line has no newline: the file may be cut short",
            "it gets a newline",
        ),
        Code("subtopics", "note", "the second column names subtopics: a document has a grade for each"),
        Code("grade-negative", "note", "a grade below 0; conventions differ in what it means"),
        Code("grade-fraction", "note", "a grade that is not a whole number"),
        Code("nothing-relevant", "note", "a judged query without a grade above 0"),
        Code("one-grade", "note", "all grades are the same"),
        Code("no-zero", "note", "no grade is 0 or less: what was judged not relevant is missing"),
        Code("few-judged", "note", f"a query with fewer than {FEW_JUDGED} judged documents"),
    )
}


def known_codes(names: Sequence[str]) -> frozenset[str]:
    """The codes as a set; an unknown one is an error."""
    for name in names:
        if name not in CODES:
            raise InputError(f"there is no code {name!r}", hint=f"name one of: {', '.join(CODES)}")
    return frozenset(names)
