"""Training as RankLib's command does: with files, splits or folds, and the values that it prints, as Java prints numbers."""

from __future__ import annotations

import os
from math import floor, isinf, isnan

from idealist.conventions import RANKLIB
from idealist.data.targets import refuse_inputs
from idealist.drop_ins.ranklib import ranklib_data as data
from idealist.drop_ins.ranklib.ranklib_options import RANKERS
from idealist.errors import InputError
from idealist.learn.model_training import check_export
from idealist.learn.models.base_model import iterations_text
from idealist.learn.models.model_storage import save_model
from idealist.learn.trainers.trainer import Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from idealist.data import Judgments
    from idealist.data.features import Features
    from idealist.drop_ins.ranklib.ranklib_metrics import Metric
    from idealist.drop_ins.ranklib.ranklib_options import Settings
    from idealist.learn.models.base_model import Model
    from idealist.learn.trainers.trainer import Progress


def double_text(number: float) -> str:
    """A double as Java's Double.toString has it: plain from 0.001 to 10,000,000, with an exponent beyond.

    >>> double_text(0.25), double_text(1e-4), double_text(12345678.0), double_text(0.0)
    ('0.25', '1.0E-4', '1.2345678E7', '0.0')
    """
    if isnan(number):
        return "NaN"
    if isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(float(number))
    # The fewest digits that tell it from its neighbours, one of them before the point.
    mantissa, _, exponent = f"{number!r}e0".partition("e")
    sign, digits = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    whole, _, fraction = digits.partition(".")
    shift = int(exponent.partition("e")[0]) + len(whole) - 1
    significant = (whole + fraction).rstrip("0")
    leading = len(significant) - len(significant.lstrip("0"))
    significant, shift = significant[leading:], shift - leading
    return f"{sign}{significant[0]}.{significant[1:] or '0'}E{shift}"


def rounded(number: float, digits: int) -> float:
    """A number to so many digits, halves up.

    >>> rounded(0.73455, 4), rounded(-0.00005, 4)
    (0.7346, 0.0)
    """
    if isnan(number) or isinf(number):
        return number
    power: int = 10**digits
    return floor(number * power + 0.5) / power


USUAL_RANKER = 4
# Of each ranker the trainer here, and the options that are parameters of it.
_TREES = {
    "-tree": "trees",
    "-leaf": "leaves",
    "-shrinkage": "learning_rate",
    "-tc": "candidates",
    "-mls": "least_documents",
}
_NETWORK = {"-epoch": "epochs", "-layer": "layers", "-node": "units", "-lr": "learning_rate"}
TRAINERS: tuple[tuple[str, dict[str, str]], ...] = (
    ("mart", {**_TREES, "-estop": "patience", "-thread": "threads"}),
    ("ranknet", _NETWORK),
    ("rankboost", {"-round": "rounds", "-tc": "thresholds"}),
    ("adarank", {"-round": "rounds", "-tolerance": "tolerance", "-noeq": "set_aside", "-max": "repeats"}),
    ("ascent", {"-r": "restarts", "-i": "passes", "-tolerance": "tolerance", "-reg": "regularisation"}),
    ("lambdarank", _NETWORK),
    ("lambdamart", {**_TREES, "-estop": "patience", "-thread": "threads"}),
    ("listnet", {"-epoch": "epochs", "-lr": "learning_rate"}),
    (
        "random-forest",
        {
            **_TREES,
            "-thread": "threads",
            "-bag": "bags",
            "-srate": "sampled",
            "-frate": "features",
            "-rtype": "bagged",
        },
    ),
    ("regression", {"-L2": "l2"}),
)
# Those that can normalise, and get data that -norm has normalised.
UNTRANSFORMED = ("adarank", "ascent", "regression")


def trainer_for(settings: Settings) -> Trainer:
    """The trainer that -ranker means, with the parameters that were given."""
    name, options = TRAINERS[settings.get("-ranker", USUAL_RANKER)]
    parameters: dict[str, Any] = {"normalisation": "none"} if name in UNTRANSFORMED else {}
    if name == "ascent":
        parameters["tolerance"] = 0.001  # RankLib's, where the trainer has another
    for option, field in options.items():
        value = settings[option]
        if value is None:
            continue
        if (option == "-tc" and value < 1) or (option == "-thread" and value < 1):
            value = 0  # all values; all cores
        elif option == "-noeq":
            value = False
        elif option == "-estop":
            value = max(1, value)
        elif option == "-rtype":
            value = "lambdamart" if value == 6 else "mart"
        parameters[field] = value
    return Trainer.parse(name, **parameters)


class Training:
    """One call with -train: what is trained, by which metric, and where what is said goes."""

    def __init__(
        self,
        settings: Settings,
        trained_by: Metric,
        reported: Metric,
        judged: Judgments | None,
        say: Callable[[str], None],
        note: Callable[[str], None],
        progress: Progress | None,
    ) -> None:
        self.settings, self.trained_by, self.reported, self.judged = settings, trained_by, reported, judged
        self.say, self.note, self.progress = say, note, progress
        self.ranker = settings.get("-ranker", USUAL_RANKER)
        self.trainer = trainer_for(settings)

    def run(self) -> None:
        for path in (self.settings["-save"], self._fold_path(1)):
            if path is not None:
                _folder_for(path, self.note)
        refuse_inputs(self.settings["-save"], self.settings.inputs())
        whole = data.read_data(self.settings["-train"], self.settings)
        names = self._names(whole)
        train = data.prepared(whole, names, self.settings)
        written = self.settings["-save"] or self._fold_path(1)
        if written is not None:
            check_export(
                self.trainer,
                train,
                written,
                measure=self.trained_by.measure(),
                conventions=RANKLIB,
                format="ranklib",
                algorithm=RANKERS[self.ranker],
            )
        if self.settings["-kcv"] is not None:
            self._cross_validate(train)
            return
        validation = self._file("-validate", names)
        tests = self._file("-test", names)
        if self.settings["-tts"] is not None:
            train, tests = data.split(train, self.settings["-tts"])
        elif self.settings["-tvs"] is not None and validation is None:
            train, validation = data.split(train, self.settings["-tvs"])
        model = self._fit(train, validation)
        if tests is not None:
            self.say(f"{self.reported} on test data: {self._shown(model, tests, self.reported)}")
        if self.settings["-save"] is not None:
            self._save(model, self.settings["-save"])
            self.say(f"Model saved to: {self.settings['-save']}")

    def _names(self, features: Features) -> tuple[str, ...]:
        if self.settings["-feature"] is None:
            return features.names
        names = data.feature_list(self.settings["-feature"])
        unknown = next((name for name in names if name not in features.names), None)
        if unknown is not None:
            raise InputError(
                f"feature {unknown} is not in the training data, which has features up to {features.names[-1]}",
                source=self.settings["-feature"],
                hint="take it off the list",
            )
        return names

    def _file(self, option: str, names: tuple[str, ...]) -> Features | None:
        given = self.settings[option]
        if not given:
            return None
        if isinstance(given, tuple) and len(given) > 1:
            raise InputError(f"{option} is given {len(given)} times", hint="several are for -load and folds")
        path = given[0] if isinstance(given, tuple) else given
        return data.prepared(data.read_data(path, self.settings), names, self.settings)

    def _fit(self, train: Features, validation: Features | None) -> Model:
        model = self.trainer.fit(
            train,
            validation,
            measure=self.trained_by.measure(),
            conventions=RANKLIB,
            seed=self.settings.get("-seed", 0),
            progress=self.progress,
        )
        for text in model.training.get("notes", ()):
            self.note(text)
        made_in = iterations_text(model.training)
        if made_in is not None and not self.settings["-silent"]:
            self.say(f"Model: {made_in}")
        self.say(f"{self.trained_by} on training data: {self._shown(model, train, self.trained_by)}")
        if validation is not None:
            self.say(
                f"{self.trained_by} on validation data: {self._shown(model, validation, self.trained_by)}"
            )
        return model

    def _value(self, model: Model, features: Features, metric: Metric) -> float:
        return float(metric.values(features, model.scores(features), self.judged).mean())

    def _shown(self, model: Model, features: Features, metric: Metric) -> str:
        return double_text(rounded(self._value(model, features, metric), 4))

    def _save(self, model: Model, path: str) -> None:
        # RankLib replaces a file that is there, and so do scripts that call it expect.
        save_model(model, path, format="ranklib", force=True, algorithm=RANKERS[self.ranker])

    def _fold_path(self, number: int) -> str | None:
        folder, name = self.settings["-kcvmd"], self.settings["-kcvmn"]
        if self.settings["-kcv"] is None or (folder is None and name is None):
            return None
        return os.path.join(folder or "kcvmodels", f"f{number}.{name or 'kcv'}")

    def _cross_validate(self, features: Features) -> None:
        rows = []
        for number, (trained, tested) in enumerate(data.folds(features, self.settings["-kcv"]), 1):
            self.say(f"Fold {number}:")
            train, validation = features.of_queries(trained), None
            if self.settings["-tvs"] is not None:
                train, validation = data.validation_split(train, self.settings["-tvs"])
            model = self._fit(train, validation)
            test = features.of_queries(tested)
            on_train, on_test = (
                self._value(model, train, self.trained_by),
                self._value(model, test, self.reported),
            )
            rows.append((on_train, on_test, len(tested)))
            path = self._fold_path(number)
            if path is not None:
                self._save(model, path)
                self.say(f"Model saved to: {path}")
        self.say("Summary:")
        self.say(f"{self.reported}\t|   Train\t| Test")
        for number, (on_train, on_test, _) in enumerate(rows, 1):
            self.say(_row(f"Fold {number}", on_train, on_test))
        self.say(_row("Avg.", *(sum(row[place] for row in rows) / len(rows) for place in (0, 1))))
        total = sum(on_test * queries for _, on_test, queries in rows) / sum(row[2] for row in rows)
        self.say(f"Total\t|   \t\t|  {double_text(rounded(total, 4))}")


def _row(name: str, on_train: float, on_test: float) -> str:
    return f"{name}\t|   {double_text(rounded(on_train, 4))}\t|  {double_text(rounded(on_test, 4))}"


def _folder_for(path: str, note: Callable[[str], None]) -> None:
    """Before hours of training: the folder that a model goes to is there, or is made, as RankLib does."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(folder):
        return
    try:
        os.makedirs(folder)
        note(f"the folder {folder} was made")
    except OSError as error:
        raise InputError(
            f"{path}: its folder cannot be made: {error.strerror}", hint="name another place"
        ) from None
