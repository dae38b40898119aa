"""What of Idealist works here: versions, threads, and for each extra what is installed and what is missing."""

from __future__ import annotations

import os
import re

from idealist import __version__
from idealist.base.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idealist.show.table import Cell
    from idealist.show.view import View

# What each extra is for. The libraries themselves are those of the package's metadata.
FEATURES = {
    "figures": "plots, and figures in reports",
    "frames": "results as frames of pandas, polars and pyarrow",
    "tables": "Parquet, Arrow, zstd and lz4 files, DuckDB's files, Excel workbooks",
    "web": "the workbench: idealist serve",
    "oidc": "logins to the workbench by OpenID Connect",
    "learn": "tensors, losses, training: idealist train, rank and cross-validate",
    "spark": "evaluation on Spark",
    "dask": "evaluation of frames of Dask",
    "ray": "evaluation of data sets of Ray",
}
# Libraries of others that we work with or inside, which no extra brings: what pip calls them, and what for.
TOOLS = {
    "xgboost": "trees of XGBoost",
    "catboost": "trees of CatBoost",
    "onnx onnxscript": "models as ONNX files",
    "sentence-transformers": "losses and training of sentence-transformers",
    "ir-datasets": "data sets by id, as in ir_datasets:vaswani",
    "ir-measures": "the provider for ir_measures",
    "llama-index-core": "metrics for evaluators of LlamaIndex",
    "haystack-ai": "an evaluator for Haystack",
    "mlflow": "results in MLflow",
    "wandb": "results in Weights & Biases",
    "torch tensorboard": "results in TensorBoard",
    "pytest": "assert_not_worse in tests",
}
# What does as well in the place of such libraries.
INSTEAD = {"torch tensorboard": "tensorboardX"}
# Extras of those who develop Idealist, and the one that stands for others.
NOT_FEATURES = ("all", "check", "test")
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[[^]]*\])?\s*(?:>=\s*(?P<least>[\d.]+))?")
EXTRA = re.compile(r"extra\s*==\s*['\"](?P<extra>[\w-]+)['\"]")


class Library(Frozen):
    """A library that an extra asks for: its name, the least version, and the version that is installed, if any."""

    name: str
    least: str | None
    installed: str | None

    @property
    def problem(self) -> str:
        """What is wrong, in a word or two; empty where nothing is."""
        if self.installed is None:
            return f"{self.name} is missing"
        if self.least is not None and _numbers(self.installed) < _numbers(self.least):
            return f"{self.name} {self.installed} is older than {self.least}"
        return ""


class Feature(Frozen):
    """What an extra or other libraries are for: its name, the libraries, and whatever else is missing."""

    name: str
    about: str
    libraries: tuple[Library, ...]
    problems: tuple[str, ...]

    @property
    def install(self) -> str:
        """The line that makes it work; empty where it does, or where pip cannot help."""
        if not any(library.problem for library in self.libraries):
            return ""
        return "pip install " + (self.name if self.name in TOOLS else f"'idealist[{self.name}]'")


class Installation(Frozen):
    """What is installed: facts by name, and the features."""

    facts: dict[str, str]
    features: tuple[Feature, ...]


def inspect_installation() -> Installation:
    """Looks at versions, without importing the libraries."""
    import platform

    from idealist import kernels

    asked = {**requirements_by_extra(), **{name: name.split() for name in TOOLS}}
    features = []
    for name, about in {**FEATURES, **TOOLS}.items():
        libraries = tuple(map(_library, asked.get(name, ())))
        instead = _library(INSTEAD[name]) if name in INSTEAD else None
        if instead is not None and not instead.problem and any(library.problem for library in libraries):
            libraries = (instead,)
        problems = [library.problem for library in libraries if library.problem]
        problems += [_JAVA] if name == "spark" and not _java_is_there() else []
        problems += [] if libraries else [UNKNOWN]
        features.append(Feature(name, about, libraries, tuple(problems)))
    facts = {
        "idealist": __version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "platform": f"{platform.system()} {platform.machine()}",
        **{name: _version(name) or "missing" for name in ("numpy", "scipy")},
        "threads": str(kernels.available_threads()),
    }
    return Installation(facts, tuple(features))


def requirements_by_extra() -> dict[str, list[str]]:
    """By extra, the libraries that the package asks for, such as "numpy>=1.26"."""
    by_extra: dict[str, list[str]] = {}
    for line in _requirements():
        requirement, _, marker = line.partition(";")
        if (extra := EXTRA.search(marker)) is not None and extra["extra"] not in NOT_FEATURES:
            by_extra.setdefault(extra["extra"], []).append(requirement.strip())
    return by_extra


def _requirements() -> Iterable[str]:
    """Of the installed package, or of the checkout that this is run from."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        return requires("idealist") or []
    except PackageNotFoundError:
        return _of_checkout()


def _of_checkout() -> Iterator[str]:
    import tomllib

    folder = os.path.dirname(os.path.abspath(__file__))
    for _ in range(3):  # src/idealist/cli
        folder = os.path.dirname(folder)
    try:
        with open(os.path.join(folder, "pyproject.toml"), "rb") as opened:
            extras = tomllib.load(opened)["project"]["optional-dependencies"]
    except (OSError, ValueError, KeyError):
        return
    for extra, lines in extras.items():
        yield from (f"{line}; extra == '{extra}'" for line in lines)


def _library(requirement: str) -> Library:
    match = REQUIREMENT.match(requirement)
    assert match is not None  # our own metadata
    return Library(match["name"], match["least"], _version(match["name"]))


def _version(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparison.

    >>> _numbers("2.13.0+cpu") > _numbers("2.4")
    True
    """
    release = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(number) for number in release[0].split(".")) if release else ()


UNKNOWN = "what it needs is not known: Idealist is neither installed nor a checkout"
_JAVA = "Java 17 or newer is missing: install a JRE, or set JAVA_HOME"


def _java_is_there() -> bool:
    from shutil import which

    home = os.environ.get("JAVA_HOME")
    return which("java") is not None or bool(home and which("java", path=os.path.join(home, "bin")))


def _problems_in_short(feature: Feature) -> str:
    """What is wrong, all libraries that are missing in one list.

    >>> _problems_in_short(Feature("a", "b", (Library("c", None, None),), ("c is missing", "d is old")))
    'missing: c; d is old'
    """
    missing = [library for library in feature.libraries if library.installed is None]
    others = [problem for problem in feature.problems if problem not in {gone.problem for gone in missing}]
    names = ", ".join(library.name for library in missing)
    return "; ".join([f"missing: {names}", *others] if missing else others)


def installation_view(installation: Installation) -> View:
    """The facts, then a feature a row, then what to install for those that do not work."""
    from idealist.show.table import Table
    from idealist.show.view import Lines, View

    rows: list[list[Cell]] = [
        [
            feature.name,
            "no" if feature.problems else "yes",
            feature.about,
            _problems_in_short(feature)
            or ", ".join(f"{library.name} {library.installed}" for library in feature.libraries),
        ]
        for feature in installation.features
    ]
    titles = ["extra or library", "works", "for", "installed, or what is missing"]
    installs = [feature for feature in installation.features if feature.install]
    width = max((len(feature.install) for feature in installs), default=0)
    lines = tuple(f"{feature.install:<{width}}  for {feature.about}" for feature in installs)
    return View(
        lambda: [
            Lines(tuple(f"{name:<10}{value}" for name, value in installation.facts.items())),
            Table(titles, rows),
            Lines(("what is missing:", *lines) if lines else ("everything is there",)),
        ],
        rows=lambda: Table(
            ["extra or library", "works", "for", "problems", "install"],
            [
                [
                    feature.name,
                    "no" if feature.problems else "yes",
                    feature.about,
                    "; ".join(feature.problems),
                    feature.install,
                ]
                for feature in installation.features
            ],
        ),
        record=lambda: {
            **installation.facts,
            "features": {
                feature.name: {
                    "works": not feature.problems,
                    "for": feature.about,
                    "libraries": {library.name: library.installed for library in feature.libraries},
                    "problems": list(feature.problems),
                    "install": feature.install or None,
                }
                for feature in installation.features
            },
        },
    )
