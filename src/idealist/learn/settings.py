"""Settings of a training as a TOML file: read, overridden by what is stated, and written beside the model."""

from __future__ import annotations

import json
import tomllib
from difflib import get_close_matches

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LARGEST = 1 << 20  # bytes of a settings file
# What a settings file may say: what it is for Python, in words, and an example.
PARAMETERS = "parameters"
KEYS: dict[str, tuple[tuple[type, ...], str, str]] = {
    "model": ((str,), "a string", 'model = "linear"'),
    "measure": ((str,), "a string", 'measure = "nDCG@10"'),
    "conventions": ((str,), "a string", 'conventions = "empty=zero"'),
    "seed": ((int,), "a whole number", "seed = 0"),
    "bag": ((int,), "a whole number", "bag = 5"),
    "features": ((list,), "a list of strings", 'features = ["bm25", "age"]'),
    "fill": ((int, float, str), "a number or 'keep'", "fill = 0.0"),
    PARAMETERS: ((dict,), "a table", "[parameters], and a line epochs = 200 below it"),
}


def read_settings(path: str) -> dict[str, Any]:
    """The settings in a file; a key that is none, or is of another kind, is an InputError."""
    try:
        with open(path, "rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise InputError(
                "this is not a settings file: it has more than a megabyte",
                source=path,
                hint="name the settings of a model, as `idealist train` writes them",
            )
        settings = tomllib.loads(text.decode())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=path, hint="check the path") from None
    except ValueError as error:
        raise InputError(
            f"this is not TOML: {error}", source=path, hint='for example model = "linear"'
        ) from None
    for key, value in settings.items():
        if key not in KEYS:
            near = get_close_matches(key, KEYS, 1)
            suggestion = f"did you mean {near[0]!r}? " if near else ""
            raise InputError(
                f"there is no setting {key!r}", source=path, hint=f"{suggestion}there are {', '.join(KEYS)}"
            )
        kinds, expected, example = KEYS[key]
        strange = (
            next((name for name in value if not isinstance(name, str)), None)
            if key == "features" and isinstance(value, list)
            else None
        )
        if isinstance(value, bool) or not isinstance(value, kinds) or strange is not None:
            given = f"one with {_kind_of(strange)}" if strange is not None else _kind_of(value)
            raise InputError(
                f"{key} must be {expected}, not {given}: {value!r:.60}",
                source=path,
                hint=f"for example {example}",
            )
    for name, value in settings.get(PARAMETERS, {}).items():
        if not isinstance(value, (bool, int, float, str, list)) and not (
            name == "options" and isinstance(value, dict)
        ):
            raise InputError(
                f"[{PARAMETERS}]: {name} must be a number, a string, a list, true or false, not {_kind_of(value)}",
                source=path,
                hint="for example epochs = 200",
            )
    return settings


def _kind_of(value: Any) -> str:
    """What TOML calls a value.

    >>> _kind_of(True), _kind_of([1]), _kind_of("x")
    ('true or false', 'a list', 'a string')
    """
    kinds = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "a table",
    }
    return kinds.get(type(value), f"a {type(value).__name__}")


def settings_text(settings: Mapping[str, Any], about: Mapping[str, Any] | None = None) -> str:
    """Settings as TOML, which `read_settings` reads back; `about` goes into comments above.

    >>> print(settings_text({"model": "ascent", "parameters": {"restarts": 2}}, {"value": 0.5}), end="")
    # value: 0.5
    model = "ascent"
    <BLANKLINE>
    [parameters]
    restarts = 2
    """
    lines = [f"# {name}: {value}" for name, value in (about or {}).items()]
    lines += [
        f"{key} = {_toml(value)}"
        for key, value in settings.items()
        if key in KEYS and key != PARAMETERS and value is not None
    ]
    parameters = {name: value for name, value in settings.get("parameters", {}).items() if value is not None}
    if parameters:
        lines += ["", "[parameters]", *(f"{name} = {_toml(value)}" for name, value in parameters.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """A value in TOML: texts and numbers are written as JSON has them."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
