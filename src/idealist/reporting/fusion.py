"""The methods of fusion and the normalisations of scores, as a list."""

from __future__ import annotations

from idealist.fusion import NORMALISATIONS, Method
from idealist.reporting.table import Table
from idealist.reporting.view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.reporting.table import Cell


def methods_view() -> View:
    """Every method with its parameters, what it looks at and what it is; then the normalisations."""
    rows: list[list[Cell]] = [
        [name, _parameters(cls), cls.normalisation if cls.looks_at != "ranks" else "ranks", _summary(cls)]
        for name, cls in Method.all().items()
    ]
    first = len(rows)
    rows += [
        [f"--normalisation {name}", "", "", _summary(normalisation)]
        for name, normalisation in NORMALISATIONS.items()
    ]
    table = Table(["method", "parameters", "usually on", "what it is"], rows, rules={first})
    return View(lambda: [table], rows=lambda: table)


def _parameters(method: type[Method]) -> str:
    """The parameters that a user may set, with their defaults."""
    fields = [field for field in method.fields if field not in method.learned]
    defaults = {field: getattr(method, field) for field in fields}
    return ", ".join(
        field if default is None else f"{field}={default}" for field, default in defaults.items()
    )


def _summary(thing: object) -> str:
    return (thing.__doc__ or "").partition("\n")[0]
