"""What a model answered: grades or votes with their origin, what could not be read, and what it took."""

from __future__ import annotations

from statistics import median_low

from idealist.data import Judgments
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.judges.answers import read_answer
from idealist.results import Result
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.data.votes import Votes
    from idealist.judges.cache import Reply
    from idealist.judges.endpoint import Endpoint
    from idealist.judges.questions import Question, Questions

VOTE_OF = {
    ("left", "left"): "good",
    ("right", "right"): "good",
    ("left", "right"): "bad",
    ("right", "left"): "bad",
}


class Estimate(Result, Frozen):
    """What asking would take: how many `questions`, how many of them are `cached`, the `requests` still to be sent, their
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


class MachineAnswers(Result):
    """The answers of a model to questions: `replies` by question, `failures` with the reason where there was none.
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
                UNFINISHED.get(self.replies[question].finish, "says nothing that could be read"),
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
        return len({(row.query, row.document) for row in self.questions.rows if row.cut})

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


# Why an answer ended that did not say what it had to.
UNFINISHED = {"refusal": "was refused", "length": "was cut off at max_tokens"}


class MachineGrades(MachineAnswers):
    """Grades that a model gave: `rows` with their origin, `judgments` for `evaluate`."""

    @property
    def rows(self) -> list[MachineGrade]:
        """A row for each document with at least one grade, in the order of the questions."""
        by_pair: dict[tuple[str, str], list[tuple[Question, int]]] = {}
        for question, grade in self._read.items():
            if isinstance(grade, int):
                by_pair.setdefault((question.query, question.document), []).append((question, grade))
        rows = []
        for (query, document), graded in by_pair.items():
            grades = [grade for _, grade in graded]
            first = graded[0][0]
            date = max(self.replies[question].date for question, _ in graded)
            rows.append(
                MachineGrade(
                    query,
                    document,
                    median_low(grades),
                    " ".join(map(str, grades)),
                    self.model,
                    self.prompt,
                    date,
                    "; ".join(first.attempts),
                )
            )
        return rows

    @property
    def judgments(self) -> Judgments:
        """One grade per document, as `evaluate` and `write_judgments` take them."""
        grades: dict[str, dict[str, int]] = {}
        for row in self.rows:
            grades.setdefault(row.query, {})[row.document] = row.grade
        if not grades:
            raise InputError("no grade was read from any answer", hint="see `unread` and `failures`")
        return Judgments(grades, name=self.model)

    def _gist(self) -> str:
        return f"{count_of(len(self.rows), 'grade')} by {self.model}, {len(self.unread):,} answers not read"


class MachineVotes(MachineAnswers):
    """Votes that a model gave between two runs: `rows` with their origin, `votes` for `gsb`."""

    @property
    def rows(self) -> list[MachineVote]:
        """A row for each answer; the samples of a query are raters of their own, so that `gsb` takes them together."""
        only_one = max((row.sample for row in self.questions.rows), default=1) == 1
        return [
            MachineVote(
                question.query,
                VOTE_OF.get((str(better), question.side), "same"),
                question.side,
                self.model if only_one else f"{self.model}#{question.sample}",
                self.prompt,
                self.replies[question].date,
                "; ".join(question.attempts),
            )
            for question, better in self._read.items()
            if better is not None
        ]

    @property
    def votes(self) -> Votes:
        """Votes from the candidate's side, as `gsb` takes them."""
        from idealist.data.columns import Columns
        from idealist.data.votes import Votes

        rows = self.rows
        if not rows:
            raise InputError("no vote was read from any answer", hint="see `unread` and `failures`")
        names = ("query", "vote", "side", "rater")
        return Votes(Columns({name: [getattr(row, name) for row in rows] for name in names}))

    def _gist(self) -> str:
        return f"{count_of(len(self.rows), 'vote')} by {self.model}, {len(self.unread):,} answers not read"
