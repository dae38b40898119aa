"""Settings of a training as a TOML file: read, overridden by what is stated, and written beside the model."""

from __future__ import annotations

import json
import tomllib

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LARGEST = 1 << 20  # bytes of a settings file
# What a settings file may say besides [parameters], and what it is.
KEYS: dict[str, type | tuple[type, ...]] = {
    "model": str,
    "measure": str,
    "conventions": str,
    "seed": int,
    "bag": int,
    "features": list,
    "fill": (int, float, str),
}


def read_settings(path: str) -> dict[str, Any]:
    """The settings in a file; a key that is none, or is of another kind, is an InputError."""
    try:
        with open(path, "rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise InputError("this is more than a megabyte, and no settings file", source=path)
        settings = tomllib.loads(text.decode())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=path, hint="check the path") from None
    except ValueError as error:
        raise InputError(
            f"this is not TOML: {error}", source=path, hint='for example model = "linear"'
        ) from None
    for key, value in settings.items():
        if key == "parameters" and isinstance(value, dict):
            continue
        known = KEYS.get(key)
        if known is None or isinstance(value, bool) or not isinstance(value, known):
            raise InputError(
                f"{key} = {value!r} is no setting",
                source=path,
                hint=f"there are {', '.join(KEYS)} and the table [parameters]",
            )
    return settings


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
        f"{key} = {_toml(value)}" for key, value in settings.items() if key in KEYS and value is not None
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
