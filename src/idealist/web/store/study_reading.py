"""The votes of a side-by-side study as they are read from its events."""

from __future__ import annotations

from collections import Counter

from idealist.io.studies import StudyData, answer_of, item_of
from idealist.web.store.task_reading import TaskReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Row

    from idealist.io.studies import Answer, StudyItem


class StudyReader(TaskReader):
    """Votes from the side of the candidate."""

    def __init__(self, task: int, candidate: str) -> None:
        self.candidate = candidate
        super().__init__(task)

    def item(self, row: Any) -> StudyItem:
        return item_of(row.id, row.content, row.hidden, self.candidate)

    def answer(self, item: StudyItem, row: Row[Any], rater: str, side: str | None) -> Answer:
        return answer_of(item, event=row.id, rater=rater, content=row.content, side=side, made=row.made)

    def data(self, answers: Sequence[Answer], decisions: Sequence[Answer]) -> StudyData:
        voted = {answer.item for answer in answers}
        shown = tuple(item for number, item in sorted(self.items.items()) if number in voted)
        return StudyData(shown, tuple(answers), tuple(decisions), self._votes_per_query(shown))

    def _votes_per_query(self, shown: Sequence[StudyItem]) -> int | None:
        """How many votes a query gets when all raters are done: the number that most have; known answers do not
        count."""
        by_query: Counter[str] = Counter()
        for item in shown:
            if item.expected is None:
                by_query[item.query] += len(self.sides.get(item.id, {}))
        # The least of those that are equally frequent, whatever the order in which items came.
        counts = Counter(count for count in by_query.values() if count)
        return min(counts, key=lambda count: (-counts[count], count)) if counts else None
