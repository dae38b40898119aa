"""Answers of a model: grades or votes with their origin, what could not be read, and what it took."""

from __future__ import annotations

import json
import re
from statistics import median_low

from idealist.base.frozen import Frozen
from idealist.base.results import Drawable, Result
from idealist.base.wording import count_of
from idealist.data import Judgments
from idealist.errors import InputError
from idealist.machine.questions import GRADES, VOTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.machine.asking import Endpoint, Reply
    from idealist.machine.questions import Prompt, Question, Questions
    from idealist.votes.vote_table import Votes


SIDES = ("left", "right", "same")
# What some models think before they answer, and the marks of code at the end of an answer.
THOUGHTS = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
FENCE = re.compile(r"```(?:json)?\s*\n([^`]*?)\s*```$")
# A line that says nothing but the answer, with or without its name, and whatever Markdown puts around it.
LINE = re.compile(
    r"^[\s*_\"'`(\[]*((?:the )?(?:final )?(?:grade|better|answer)(?: is)?[\s*_]*[:=]?[\s*_\"'`]*)?([a-z]+|\d+)[\s*_\"'`)\].!]*$",
    re.IGNORECASE,
)


def read_answer(content: str, prompt: Prompt) -> int | str | None:
    """The grade, or the better side; None where the answer does not say exactly one that could be given.

    >>> from idealist.machine.questions import Prompt
    >>> [read_answer(text, Prompt()) for text in ('{"grade": 2}', "It fits.\\nGrade: 3", "2 or 3", "7")]
    [2, 3, None, None]
    """
    text = FENCE.sub(lambda fenced: _one_line(fenced.group(1)), THOUGHTS.sub("", content).strip())
    key = "better" if prompt.asks == VOTES else "grade"
    record = _record(text)
    if record is not None:
        return _allowed(record.get(key), prompt)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    answers = [_line_answer(line, key, prompt) for line in lines]
    named = {value for is_named, value in answers if is_named}
    if not lines or len(named) > 1:
        return None  # it gives two answers
    return answers[-1][1]


def _line_answer(line: str, key: str, prompt: Prompt) -> tuple[bool, int | str | None]:
    """Whether a line names what it says, as JSON or in words, and the answer, if that is all that it says."""
    record = _record(line)
    if record is not None:
        return key in record, _allowed(record.get(key), prompt)
    said = LINE.match(line)
    return (False, None) if said is None else (said.group(1) is not None, _allowed(said.group(2), prompt))


def _one_line(text: str) -> str:
    """JSON of several lines as one; anything else as it is."""
    record = _record(text)
    return text if record is None else json.dumps(record)


def _record(text: str) -> dict[str, object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _allowed(value: object, prompt: Prompt) -> int | str | None:
    if prompt.asks == VOTES:
        side = value.strip().lower() if isinstance(value, str) else None
        return side if side in SIDES else None
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_grade = isinstance(value, int) and not isinstance(value, bool) and value in prompt.scale.grades
    return value if is_grade and isinstance(value, int) else None


# Where the answers are of those who asked for them.
OF_KIND = {GRADES: "judgments", VOTES: "votes"}
VOTE_OF = {
    ("left", "left"): "good",
    ("right", "right"): "good",
    ("left", "right"): "bad",
    ("right", "left"): "bad",
}


# Why an answer ended that did not say what it had to.
UNFINISHED = {"refusal": "refused", "length": "cut off at max_tokens"}


class Estimate(Result, Frozen):
    """The cost of asking: how many `questions`, how many of them are `cached`, the `requests` still to be sent, their
    tokens, the `cost` if prices are known, and the `seconds` if something is known about them; how many documents hold
    text that speaks to the judge (`suspicious`), and how many are `cut`."""

    asks: str
    model: str
    prompt: str
    questions: int
    cached: int
    requests: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float | None
    suspicious: int
    cut: int

    __repr__ = Result.__repr__

    def _gist(self) -> str:
        return f"{count_of(self.requests, 'request')} to {self.model}, {self.cached:,} of {self.questions:,} answers cached"


class MachineGrade(Frozen):
    """The grade of a document: the median of those that the samples gave (the lower of two), all of them as text, and
    where they come from."""

    query: str
    document: str
    grade: int
    grades: str
    model: str
    prompt: str
    date: str
    attempts: str = ""


class MachineVote(Frozen):
    """A vote between two lists, from the candidate's side, and where it comes from."""

    query: str
    vote: str
    side: str
    rater: str
    prompt: str
    date: str
    attempts: str = ""


class UnreadAnswer(Frozen):
    """An answer that says no grade, or no side, and why: its ending, or what it said instead."""

    query: str
    document: str
    sample: int
    reason: str
    content: str


class MachineAnswers(Drawable):
    """The answers of a model to questions: `rows` of grades or votes with their origin, as `judgments` for `evaluate` or
    `votes` for `gsb`; `replies` by question, `failures` with the reason where there was none.
    `unread` are the answers that were not understood: they are kept and counted, and no grade is guessed from them.
    `requests` were sent this time, `cached` answers were there before."""

    def __init__(
        self,
        questions: Questions,
        endpoint: Endpoint,
        replies: Mapping[Question, Reply],
        failures: Mapping[Question, str],
        *,
        requests: int,
        cached: int,
        input_tokens: int,
        output_tokens: int,
        prices: tuple[float, float] | None,
    ) -> None:
        self.questions = questions
        self.model = endpoint.model
        self.prompt = questions.prompt.name
        self.replies = replies
        self.failures = failures
        self.requests = requests
        self.cached = cached
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.cost = None if prices is None else (input_tokens * prices[0] + output_tokens * prices[1]) / 1e6
        self.unasked = sum(row not in replies and row not in failures for row in questions.rows)
        self._read = {
            question: None if reply.finish in UNFINISHED else read_answer(reply.content, questions.prompt)
            for question, reply in replies.items()
        }

    @property
    def unread(self) -> list[UnreadAnswer]:
        return [
            UnreadAnswer(
                question.query,
                question.document,
                question.sample,
                UNFINISHED.get(self.replies[question].finish, "not understood"),
                self.replies[question].content,
            )
            for question, said in self._read.items()
            if said is None
        ]

    @property
    def suspicious(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """The queries and documents whose text speaks to the judge, and what it does."""
        return {(row.query, row.document): row.attempts for row in self.questions.rows if row.attempts}

    @property
    def cut(self) -> int:
        """How many documents, or queries with two lists, were too long to be shown whole."""
        return len({row.document or row.query for row in self.questions.rows if row.cut})

    def answers(self) -> list[dict[str, object]]:
        """Every answer as it came, a record each."""
        return [
            {
                "query": question.query,
                "document": question.document,
                "sample": question.sample,
                "read": self._read[question],
                "content": reply.content,
                "finish": reply.finish,
                "model": self.model,
                "prompt": self.prompt,
                "date": reply.date,
            }
            for question, reply in self.replies.items()
        ]

    @property
    def rows(self) -> list[MachineGrade] | list[MachineVote]:
        """The rows that were read, in the order of the questions: `grade_rows`, or `vote_rows`."""
        return self.vote_rows if self.questions.prompt.asks == VOTES else self.grade_rows

    @property
    def judgments(self) -> Judgments:
        """One grade per document, as `evaluate` and `write_judgments` take them."""
        grades: dict[str, dict[str, int]] = {}
        for row in self.grade_rows:
            grades.setdefault(row.query, {})[row.document] = row.grade
        if not grades:
            raise self._nothing_read(VOTES, "grade")
        return Judgments(grades, name=self.model)

    @property
    def votes(self) -> Votes:
        """Votes from the candidate's side, as `gsb` takes them."""
        from idealist.data.columns import Columns
        from idealist.votes.vote_table import Votes

        rows = self.vote_rows
        if not rows:
            raise self._nothing_read(GRADES, "vote")
        names = ("query", "vote", "side", "rater")
        return Votes(Columns({name: [getattr(row, name) for row in rows] for name in names}))

    def _nothing_read(self, other: str, noun: str) -> InputError:
        if self.questions.prompt.asks == other:
            return InputError(f"the model was asked for {other}", hint=f"these are in `{OF_KIND[other]}`")
        return InputError(f"no {noun} was read from any answer", hint="see `unread` and `failures`")

    @property
    def grade_rows(self) -> list[MachineGrade]:
        """A row for each document with at least one grade; none where votes were asked for."""
        by_pair: dict[tuple[str, str], list[tuple[Question, int]]] = {}
        for question, grade in self._read.items():
            if isinstance(grade, int):
                by_pair.setdefault((question.query, question.document), []).append((question, grade))
        rows = []
        for (query, document), graded in by_pair.items():
            grades = [grade for _, grade in graded]
            date = max(self.replies[question].date for question, _ in graded)
            attempts = "; ".join(graded[0][0].attempts)
            texts = (" ".join(map(str, grades)), self.model, self.prompt, date, attempts)
            rows.append(MachineGrade(query, document, median_low(grades), *texts))
        return rows

    @property
    def vote_rows(self) -> list[MachineVote]:
        """A row for each vote. The samples of a query are raters of their own, so that `gsb` takes them together."""
        only_one = max((row.sample for row in self.questions.rows), default=1) == 1
        return [
            MachineVote(
                question.query,
                VOTE_OF.get((better, question.side), "same"),
                question.side,
                self.model if only_one else f"{self.model}#{question.sample}",
                self.prompt,
                self.replies[question].date,
                "; ".join(question.attempts),
            )
            for question, better in self._read.items()
            if isinstance(better, str)
        ]

    def _gist(self) -> str:
        noun = "vote" if self.questions.prompt.asks == VOTES else "grade"
        unread = count_of(len(self.unread), "answer")
        return f"{count_of(len(self.rows), noun)} by {self.model}, {unread} not read"
