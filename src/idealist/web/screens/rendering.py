"""Templates: what they know besides the values of a screen."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from markupsafe import Markup
from starlette.responses import HTMLResponse

from idealist import __version__
from idealist.web.browsers import token_of_forms
from idealist.web.screens.results import head_words, label_words, legend_words, problem_words, result_html
from idealist.web.texts.catalogue import LANGUAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jinja2.runtime import Context
    from starlette.responses import Response

    from idealist.errors import IdealistError
    from idealist.reporting.view import Block, View
    from idealist.web.screens.visit import Visit

FOLDER = Path(__file__).parent.parent
FORM_FIELD = Markup('<input type="hidden" name="form_token" value="{}">')


def render(visit: Visit, template: str, status: int = 200, **values: Any) -> Response:
    token = token_of_forms(visit.workbench, visit.session)
    content = (
        environment()
        .get_template(template)
        .render(
            visit=visit,
            t=visit.text,
            person=visit.known_person,
            problem=visit.problem,
            form_field=lambda: FORM_FIELD.format(token),
            language=visit.language,
            languages=LANGUAGES,
            login=visit.workbench.settings.login,
            provider=visit.workbench.provider,
            path=visit.request.url.path,
            here=visit.here,
            **values,
        )
    )
    if visit.problem is not None and status == 200:
        status = 422
    return HTMLResponse(content, status)


@lru_cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,  # whatever is shown: names, ids and texts come from files
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["static"] = static
    made.filters |= {"number": number, "size": size, "date": date}
    made.filters |= {"result": result, "head": head, "label": label, "legend": legend}
    made.filters["problem_words"] = problem
    return made


def static(path: str) -> str:
    """The address of a file of ours, which changes with the version, so that browsers may keep it."""
    return f"/static/{path}?v={__version__}"


def number(value: float | None) -> str:
    """A count, or nothing.

    >>> number(12345), number(None)
    ('12,345', '–')
    """
    return "–" if value is None else f"{value:,}"


def size(value: int) -> str:
    """Bytes for people.

    >>> size(1_234_567), size(12)
    ('1.2 MB', '12 bytes')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= unit:
            return f"{value / unit:.1f} {name}"
    return f"{value} bytes"


def date(milliseconds: int) -> Markup:
    """A time: in UTC for who reads the page as it is, in local time where the script runs."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    written = f"{moment:%Y-%m-%d %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(timespec="seconds"), written)


@pass_context
def result(context: Context, shown: View | Block, *labels: int) -> Markup:
    """A result as `reporting` writes it in HTML, where all names are escaped; heads and the columns `labels` in the
    language of the page."""
    return Markup(result_html(context["language"], shown, labels))


@pass_context
def head(context: Context, title: str) -> str:
    """The head of a column where a sentence names it."""
    return head_words(context["language"], title)


@pass_context
def label(context: Context, word: str) -> str:
    return label_words(context["language"], word)


@pass_context
def legend(context: Context, shown: View | Block) -> list[str]:
    return legend_words(context["language"], shown)


@pass_context
def problem(context: Context, problem: IdealistError) -> str:
    return problem_words(context["visit"], problem)
