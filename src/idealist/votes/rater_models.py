"""Raters as a model: how good each is, and what the items probably are, beside majority voting."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Drawable
from idealist.base.values import as_choice, as_count, as_share, as_within
from idealist.base.wording import count_of, listed
from idealist.data.grouped import bytewise
from idealist.errors import InputError
from idealist.statistics.mean_estimates import Interval
from idealist.statistics.randomness import generator
from idealist.votes.label_models import MODELS, LabelModel
from idealist.votes.ratings import read_ratings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import ndarray

    from idealist.types import GivenTable
    from idealist.votes.label_models import LabelFit
    from idealist.votes.ratings import Ratings
    from idealist.votes.vote_table import Votes


class ModelledRater(Frozen):
    """A rater: labels given, expected share of right ones by the model with its interval (nan where
    she shares no item with another rater), agreement with the
    majority of all labels (nan where no item has one), and right answers of the known ones. `confusions` has a row
    for each true class: the shares of the labels given."""

    rater: str
    machine: bool
    labels: int
    accuracy: float
    interval: Interval | None
    majority: float
    right: int
    known: int
    confusions: tuple[tuple[float, ...], ...]


class ModelledClass(Frozen):
    """A class: its share by the model with its interval, and by majority voting."""

    label: str
    share: float
    interval: Interval | None
    majority: float


class ModelledItem(Frozen):
    """An item: its most probable class with that probability, the majority's ("" without one), and the right one
    where it is known."""

    query: str
    document: str
    label: str
    probability: float
    majority: str
    answer: str


class RaterModel(Drawable, Frozen):
    """Raters, classes and items by a model, beside majority voting.

    `value` is GSB for votes and the mean grade for grades, by the model; `majority_value` is by majority voting.
    `model_right` and `majority_right` count right labels of the `known` answers, which the model did not use.
    """

    model: str
    kind: str
    raters: tuple[ModelledRater, ...]
    classes: tuple[ModelledClass, ...]
    items: tuple[ModelledItem, ...]
    value: float
    interval: Interval | None
    majority_value: float
    model_right: int
    majority_right: int
    known: int
    labels: int
    log_likelihood: float
    confidence: float
    notes: tuple[str, ...]

    def __getitem__(self, rater: str) -> ModelledRater:
        for record in self.raters:
            if record.rater == rater:
                return record
        names = ", ".join(record.rater for record in self.raters)
        raise InputError(f"no rater is called {rater!r}", hint=f"name one of: {names}")

    def _gist(self) -> str:
        raters, items = count_of(len(self.raters), "rater"), count_of(len(self.items), "item")
        return f"{self.model}; {raters}, {items}, {count_of(self.labels, self.kind)}"


METHOD = "bootstrap over queries"
SMOOTHING = 0.5
FEW_PER_CELL = 3  # labels for each cell of a rater's table, below which the table says little
NEAR_AGAIN = 1e-5  # refits need not settle as closely


def rater_model(
    ratings: Ratings | Votes | GivenTable,
    *,
    model: str = "dawid-skene",
    machines: Sequence[str] = (),
    smoothing: float = SMOOTHING,
    confidence: float = 0.95,
    rounds: int = 200,
    seed: int = 0,
) -> RaterModel:
    """The accuracy of raters and the classes of items, by labels alone: what read_ratings gives, or anything that
    it reads. Votes are good, same or bad; grades are classes of their own, without an order.

    The model is "dawid-skene" (a table of confusions for each rater) or "one-coin" (one accuracy for each, for few
    labels). `machines` names the raters that are no people. Known answers (the column anchor) are not used to fit,
    but to check. Intervals are by a bootstrap of `rounds` over queries.

    >>> table = {"query": [1, 1, 1, 2, 2, 2], "rater": ["x", "y", "z"] * 2, "vote": list("GGSBBB")}
    >>> found = rater_model(table, model="one-coin", smoothing=0, rounds=20)
    >>> round(found["x"].accuracy, 3), round(found["z"].accuracy, 3), found.items[0].label
    (1.0, 0.5, 'good')
    """
    table = read_ratings(ratings)
    as_choice(model, "the model", MODELS)
    smoothing = as_within(smoothing, "smoothing", 0)
    as_share(confidence, "confidence")
    rounds = as_count(rounds, "rounds", 0)
    _require_several(table)
    for name in machines:
        if name not in table.rater_names:
            raise InputError(
                f"no rater is called {name!r}", hint=f"name one of: {', '.join(table.rater_names)}"
            )
    fitted = LabelModel(
        table.items,
        table.raters,
        table.labels,
        items=len(table.item_names),
        raters=len(table.rater_names),
        classes=len(table.classes),
    )
    fit = fitted.fit(model, smoothing=smoothing, times=_shared(fitted))
    spread = _Spread(table, fitted, fit, model, smoothing, rounds, seed, confidence)
    return _result(table, fitted, fit, spread, model, machines, confidence)


class _Spread:
    """The results of refits to queries that are drawn again: shares, accuracies and the value of each."""

    def __init__(
        self,
        table: Ratings,
        fitted: LabelModel,
        fit: LabelFit,
        model: str,
        smoothing: float,
        rounds: int,
        seed: int,
        confidence: float,
    ) -> None:
        import numpy as np

        self.confidence = confidence
        numbers: dict[str, int] = {}
        query = np.asarray([numbers.setdefault(name, len(numbers)) for name, _ in table.item_names])
        counting, shared = _counting(table), _shared(fitted)
        random, n = generator(seed), len(numbers)
        shares, accuracies, values = [], [], []
        for _ in range(rounds if n > 1 else 0):
            times = random.multinomial(n, np.full(n, 1 / n))[query].astype(float)
            if not (times * counting).any() or not (times * shared).any():
                continue
            again = fitted.fit(
                model, smoothing=smoothing, times=times * shared, start=fit.beliefs, near=NEAR_AGAIN
            )
            drawn_shares = _shares(again.beliefs, times * counting)
            shares.append(drawn_shares)
            accuracies.append(_accuracies(fitted, again.beliefs, times * shared))
            values.append(float(drawn_shares @ table.scores))
        self._shares, self._accuracies, self._values = map(np.asarray, (shares, accuracies, values))

    def _interval(self, value: float, drawn: ndarray, low: float, high: float) -> Interval | None:
        import numpy as np
        from scipy.special import ndtri

        drawn = drawn[~np.isnan(drawn)]
        if len(drawn) < 20:  # too few for a standard error
            return None
        reach = float(ndtri((1 + self.confidence) / 2)) * float(drawn.std(ddof=1))
        return Interval(max(low, value - reach), min(high, value + reach), self.confidence, METHOD)

    def share(self, at: int, value: float) -> Interval | None:
        return self._interval(value, self._shares[:, at], 0.0, 1.0) if len(self._shares) else None

    def accuracy(self, rater: int, value: float) -> Interval | None:
        return self._interval(value, self._accuracies[:, rater], 0.0, 1.0) if len(self._shares) else None

    def value(self, value: float, low: float, high: float) -> Interval | None:
        return self._interval(value, self._values, low, high) if len(self._shares) else None


def _counting(table: Ratings) -> ndarray:
    """Items without a known answer: those with one check raters, and say nothing of the systems."""
    import numpy as np

    counting = np.ones(len(table.item_names))
    if len(table.answers) < len(table.item_names):
        counting[list(table.answers)] = 0
    return counting


def _shared(fitted: LabelModel) -> ndarray:
    """Items with two labels or more, which the parameters are of: a rater agrees with herself on the others, and who
    labelled most items alone would seem the best."""
    shared: ndarray = (fitted.counts.sum(axis=1) > 1).astype(float)
    return shared


def _shares(beliefs: ndarray, times: ndarray) -> ndarray:
    shares: ndarray = times @ beliefs / times.sum()
    return shares


def _accuracies(fitted: LabelModel, beliefs: ndarray, times: ndarray) -> ndarray:
    """The expected share of right labels of every rater."""
    import numpy as np

    right = beliefs[fitted.item, fitted.label] * times[fitted.item]
    with np.errstate(invalid="ignore"):
        shares: ndarray = np.bincount(fitted.rater, right, fitted.raters) / np.bincount(
            fitted.rater, times[fitted.item], fitted.raters
        )
    return shares


def _majority(fitted: LabelModel) -> ndarray:
    """The class that more than half of an item's labels name; −1 where none is."""
    import numpy as np

    top = fitted.counts.max(axis=1)
    winner: ndarray = np.where(2 * top > fitted.counts.sum(axis=1), fitted.counts.argmax(axis=1), -1)
    return winner


def _result(
    table: Ratings,
    fitted: LabelModel,
    fit: LabelFit,
    spread: _Spread,
    model: str,
    machines: Sequence[str],
    confidence: float,
) -> RaterModel:
    import numpy as np

    counting = _counting(table)
    shares = _shares(fit.beliefs, counting)
    by_majority = _shares(fitted.majority, counting)
    majority, best = _majority(fitted), fit.beliefs.argmax(axis=1)
    value, scores = float(shares @ table.scores), np.asarray(table.scores)
    answers = table.answers
    return RaterModel(
        model=model,
        kind=table.kind,
        raters=_raters(table, fitted, fit, spread, majority, machines),
        classes=tuple(
            ModelledClass(
                label, float(shares[at]), spread.share(at, float(shares[at])), float(by_majority[at])
            )
            for at, label in enumerate(table.classes)
        ),
        items=tuple(
            ModelledItem(
                *table.item_names[at],
                table.classes[best[at]],
                float(fit.beliefs[at, best[at]]),
                table.classes[majority[at]] if majority[at] >= 0 else "",
                table.classes[answers[at]] if at in answers else "",
            )
            for at in range(len(table.item_names))
        ),
        value=value,
        interval=spread.value(value, float(scores.min()), float(scores.max())),
        majority_value=float(by_majority @ scores),
        model_right=sum(int(best[at]) == answer for at, answer in answers.items()),
        majority_right=sum(int(majority[at]) == answer for at, answer in answers.items()),
        known=len(answers),
        labels=len(table),
        log_likelihood=fit.log_likelihood,
        confidence=confidence,
        notes=tuple(_notes(table, fitted, model)),
    )


def _raters(
    table: Ratings,
    fitted: LabelModel,
    fit: LabelFit,
    spread: _Spread,
    majority: ndarray,
    machines: Sequence[str],
) -> tuple[ModelledRater, ...]:
    import numpy as np

    accuracies = _accuracies(fitted, fit.beliefs, _shared(fitted))
    records = []
    for at, name in enumerate(table.rater_names):
        rows = np.nonzero(fitted.rater == at)[0]
        settled = rows[majority[fitted.item[rows]] >= 0]
        agreeing = (
            (majority[fitted.item[settled]] == fitted.label[settled]).mean() if len(settled) else np.nan
        )
        known = [row for row in rows.tolist() if int(fitted.item[row]) in table.answers]
        right = sum(table.answers[int(fitted.item[row])] == int(fitted.label[row]) for row in known)
        accuracy = float(accuracies[at])
        records.append(
            ModelledRater(
                rater=name,
                machine=name in machines,
                labels=len(rows),
                accuracy=accuracy,
                interval=spread.accuracy(at, accuracy),
                majority=float(agreeing),
                right=right,
                known=len(known),
                confusions=tuple(tuple(map(float, row)) for row in fit.confusions[at]),
            )
        )
    return tuple(sorted(records, key=lambda record: bytewise(record.rater)))


def _require_several(table: Ratings) -> None:
    if not len(table):
        raise InputError("there are no labels", source=table.source)
    if len(table.rater_names) < 2:
        raise InputError(
            f"there is one rater only, {table.rater_names[0]!r}: nothing tells how good that rater is",
            source=table.source,
            hint="have some items labelled by a second rater, or give known answers to `idealist gsb`",
        )
    if len(set(table.items)) == len(table):
        raise InputError(
            "no item has labels of two raters, so that nothing tells how good they are",
            source=table.source,
            hint="have some items labelled by several raters",
        )
    if len(table.classes) < 2:
        raise InputError(
            f"every label is {table.classes[0]!r}",
            source=table.source,
            hint="a model needs two classes or more",
        )


def _notes(table: Ratings, fitted: LabelModel, model: str) -> list[str]:
    import numpy as np

    notes = []
    single = int((fitted.counts.sum(axis=1) == 1).sum())
    if single:
        notes.append(
            f"{single:,} of {count_of(len(table.item_names), 'item')} have a single label: they say nothing of raters, and "
            "take their class from the accuracy of theirs"
        )
    if int(fitted.counts.sum(axis=1).max()) < 3:
        notes.append(
            "no item has three labels: where two raters differ nothing tells who is right, and the accuracies are a guess; "
            "add a third rater, or known answers"
        )
    labels = np.bincount(fitted.rater, minlength=fitted.raters)
    sparse_raters = [table.rater_names[at] for at in np.nonzero(labels < FEW_PER_CELL * fitted.classes**2)[0]]
    if model == "dawid-skene" and sparse_raters:
        named = listed(
            [*sparse_raters[:3], *([f"{len(sparse_raters) - 3} more"] if len(sparse_raters) > 3 else [])]
        )
        notes.append(f"few labels for a table of confusions: {named}; the one-coin model needs fewer")
    if table.answers:
        notes.append("items with a known answer check raters, and do not count in shares and values")
    return notes
