"""Reads a project file: TOML whose keys are those of the table of settings, and no others."""

from __future__ import annotations

import os
import re

from idealist.base.values import refused
from idealist.data.opening import no_such_file
from idealist.errors import InputError
from idealist.projects.project import Project
from idealist.projects.settings import PROJECT_FILE, SETTINGS, TABLES, project_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.projects.settings import Setting

LARGEST = 1 << 20  # bytes of a project file
KIND = "a project file is a TOML file"
# Words of keys that hold secrets, which are read from the environment.
SECRET = re.compile(r"^(api_?|auth_?)?(key|token|password|secret|authorization)$")


def read_project(path: str) -> Project:
    """The settings in a project file; what is not known there is an error."""
    whole, text = _toml(path)
    tables = {}
    for name, known in TABLES.items():
        stated = whole.pop(name, {})
        if not isinstance(stated, dict):
            raise wrong(
                path,
                text,
                name,
                refused(name, "be a table", stated).message,
                f"write [{name}] above its keys",
            )
        tables[name] = _checked(path, text, f"{name}.", stated, known)
    return Project(path, text, _checked(path, text, "", whole, SETTINGS), **tables)


def project(path: str | os.PathLike[str] | None = None) -> Project:
    """The project of the working folder, by the file idealist.toml there or in a folder above; or the one of a file."""
    found = project_file() if path is None else os.fspath(path)
    if found is None:
        raise InputError(
            f"there is no {PROJECT_FILE} in this folder or above it", hint="`idealist init` writes one"
        )
    return read_project(found)


def _toml(path: str) -> tuple[dict[str, Any], str]:
    import tomllib

    try:
        with open(path, "rb") as opened:
            content = opened.read(LARGEST + 1)
    except FileNotFoundError:
        raise no_such_file(path) from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot be read: {getattr(error, 'strerror', None) or error}", source=path
        ) from None
    if len(content) > LARGEST:
        raise InputError(
            f"this is not a project file: it has more than {LARGEST:,} bytes", source=path, hint=KIND
        )
    try:
        text = content.decode("utf-8-sig")
        return tomllib.loads(text), text
    except UnicodeDecodeError:
        raise InputError("this is not text", source=path, hint=KIND) from None
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"this is not TOML{_where(str(error))}", source=path, hint="a line reads: margin = 0.02"
        ) from None


def _where(message: str) -> str:
    """What TOML's reader expected, and where, but nothing of what it found: the file may be no project at all, and
    the message may be public."""
    reason, _, place = message.partition(" (at ")
    if reason == "Cannot overwrite a value":
        reason = "Expected another key: this one has a value already"
    expected = reason if reason.startswith(("Expected", "Invalid", "Unclosed")) else ""
    return "".join(f": {part}" for part in (expected, place.removesuffix(")")) if part)


def _checked(
    path: str, text: str, prefix: str, stated: Mapping[str, Any], known: Mapping[str, Setting]
) -> dict[str, Any]:
    """The values of the keys that are stated."""
    values = {}
    for name, value in stated.items():
        setting = known.get(name)
        if setting is None:
            raise wrong(path, text, name, f"unknown key {prefix + name!r}", _known(name, prefix, known))
        try:
            values[name] = setting.read(value, prefix + name)
        except InputError as error:
            # What is likely meant by a name says more than that it is text.
            hint = (setting.kind == "text" and error.hint) or f"{setting.about}: {setting.rule}"
            raise wrong(path, text, name, error.message, hint) from None
    return values


def _known(name: str, prefix: str, known: Mapping[str, Setting]) -> str:
    """A hint for a key that there is not."""
    if "key_variable" in known and SECRET.match(name.lower()):
        return 'secrets are read from the environment: key_variable = "NAME" names the variable'
    if prefix and name in SETTINGS:
        return f"{name} stands outside of tables: write it above them"
    from difflib import get_close_matches

    tables = () if prefix else tuple(TABLES)
    near = get_close_matches(name, (*known, *tables), 1)
    within = f" of {prefix.rstrip('.')}" if prefix else ""
    besides = f", and the tables {', '.join(tables)}" if tables else ""
    return f"{f'did you mean {near[0]}? ' if near else ''}the keys{within} are {', '.join(known)}{besides}"


def wrong(path: str, text: str, name: str, message: str, hint: str) -> InputError:
    """With the line where a key seems to stand; TOML's own reader does not tell."""
    pattern = re.compile(rf"\s*\[?\s*[\"']?{re.escape(name)}[\"']?\s*[=\].]")
    lines = [at for at, line in enumerate(text.split("\n"), 1) if pattern.match(line)]
    return InputError(message, source=path, line=lines[0] if len(lines) == 1 else None, hint=hint)
