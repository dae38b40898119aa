"""Our own models as JSON: those whose numbers are few."""

from __future__ import annotations

from idealist.learn.models.formats.base import ModelFormat
from idealist.learn.models.formats.json_text import read_json, write_json
from idealist.learn.models.records import FORMAT as OURS
from idealist.learn.models.records import is_ours, model_of, record_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.models.base import Model


class Json(ModelFormat):
    name = "json"
    label = "a model of Idealist in JSON"
    about = "linear models and bags of them; numbers are read back to the last bit"
    endings = (".json",)

    def recognises(self, head: bytes) -> bool:
        return head.lstrip()[:1] == b"{" and f'"{OURS}"'.encode() in head[:200]

    def read(self, path: str) -> Model:
        return model_of(read_json(path), {}, path)

    def takes(self, model: Model) -> bool:
        return is_ours(model) and not model.arrays()  # type: ignore[attr-defined]

    def write(self, model: Model, path: str, **options: Any) -> None:
        write_json(record_of(model), path)


FORMAT = Json()
