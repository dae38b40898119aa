"""The list of click models, by name."""

from __future__ import annotations

from idealist.clicks.chain_models import CascadeModel, DynamicModel
from idealist.clicks.examination_models import BrowsingModel, PositionModel
from idealist.data.values import as_choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.clicks.models import ClickModel


def click_models() -> dict[str, type[ClickModel]]:
    """The models by name."""
    models: tuple[Any, ...] = (PositionModel, BrowsingModel, CascadeModel, DynamicModel)
    return {model.name: model for model in models}


def parse_click_model(name: str) -> type[ClickModel]:
    """The model of a name: pbm, ubm, cascade or dbn."""
    models = click_models()
    return models[as_choice(name, "the click model", models)]
