"""What goes wrong on a cluster, as an error that names the file, the key or the version, without Java's stack."""

from __future__ import annotations

import re
from contextlib import contextmanager

from idealist import errors
from idealist.engines.task import error_within, own_versions
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = re.compile(r"(?:while reading file|reading file|footer for file|read footer.*?file:?) ?([^\s,;\"']+)")
MODULE = re.compile(r"ModuleNotFoundError: No module named '(idealist[\w.]*|numpy|pyarrow|scipy)'")
PYTHONS = re.compile(
    r"PYTHON_VERSION_MISMATCH\]?[^\n]*?: \(?'?([\d., ]+)'?\)?[^\d\n]+driver:? \(?'?([\d., ]+)"
)
LONGEST_CAUSE = 300


@contextmanager
def as_input_errors() -> Iterator[None]:
    """A context whose errors of Spark are errors about the input, where they are known to be."""
    try:
        yield
    except errors.IdealistError:
        raise
    except Exception as error:  # Spark's classes differ between Connect and classic sessions
        understood = understand(error)
        if understood is None:
            raise
        raise understood from None


def understand(error: BaseException) -> errors.IdealistError | None:
    """The error of ours that one of Spark stands for; None where it is not known."""
    text = _text(error)
    if (ours := error_within(text)) is not None:
        return ours
    if (match := MODULE.search(text)) and "." in match[1]:
        return InputError(
            f"the executors have another Idealist than the driver, which has {own_versions()[1]}: theirs has no {match[1]}",
            hint="install the same version on both, or send the environment with --archives (docs/scale.md)",
        )
    if match:
        return InputError(
            f"the executors cannot import {match[1]}",
            hint="on one machine, set PYSPARK_PYTHON to this Python before the session starts: os.environ['PYSPARK_PYTHON'] = "
            "sys.executable; on a cluster, install Idealist there, or send an environment with --archives (docs/scale.md)",
        )
    if match := PYTHONS.search(text):
        worker, driver = (version.strip(" .,") for version in match.groups())
        return InputError(
            f"the executors have Python {worker}, the driver has {driver}",
            hint="set PYSPARK_PYTHON or spark.pyspark.python to the same version on both",
        )
    if "FAILED_READ_FILE" in text or "CANNOT_READ_FILE_FOOTER" in text or "is not a Parquet file" in text:
        path = _parameter(error, "path") or ((match := FILE.search(text)) and match[1]) or "a file"
        return InputError(
            f"cannot be read: {_cause(text)}",
            source=path.removeprefix("file://").removesuffix("."),
            hint="write it again, or leave it out",
        )
    if "PATH_NOT_FOUND" in text or "TABLE_OR_VIEW_NOT_FOUND" in text:
        return InputError(_first_line(text), hint="name a file, a folder or a table that Spark can read")
    return None


def _text(error: BaseException) -> str:
    parts = [str(error)]
    if (java := getattr(error, "java_exception", None)) is not None:
        parts.append(str(java))
    return "\n".join(parts)


def _parameter(error: BaseException, name: str) -> str | None:
    """A parameter of Spark's error, where it has it."""
    try:
        parameters = error.getMessageParameters()  # type: ignore[attr-defined]
    except Exception:  # no such method, or no parameters
        return None
    return (parameters or {}).get(name)


def _cause(text: str) -> str:
    """What Parquet says of the file."""
    for pattern in (
        r"([^\n]*is not a Parquet file[^\n]*)",
        r"Caused by: [\w.$]+: ([^\n]+)",
        r"\] ([^\n]+)",
    ):
        if match := re.search(pattern, text):
            cause = re.sub(r"^(?:Caused by: )?(?:[\w.$]+(?:Exception|Error): )+", "", match[1].strip())
            return cause[:LONGEST_CAUSE]
    return _first_line(text)


def _first_line(text: str) -> str:
    line = next((line for line in text.splitlines() if line.strip()), "an error of Spark")
    return re.sub(r"\s*SQLSTATE: \w+\s*$", "", re.sub(r"^\[[\w.]+\] ", "", line))[:LONGEST_CAUSE]
