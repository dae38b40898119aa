"""Our own models as safetensors: their arrays, and the rest as JSON in the header. One file, and no pickle."""

from __future__ import annotations

import json

from idealist.errors import InputError
from idealist.learn.models.formats.base import ModelFormat
from idealist.learn.models.records import FORMAT as OURS
from idealist.learn.models.records import is_ours, model_of, record_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.models.base import Model

KEY = "idealist"  # of the header's metadata: our record


class Safetensors(ModelFormat):
    name = "safetensors"
    label = "a model of Idealist in safetensors"
    about = "neural models and bags of them"
    endings = (".safetensors",)

    def recognises(self, head: bytes) -> bool:
        # Eight bytes say how long the header is, which is JSON.
        return head[8:9] == b"{" and OURS.encode() in head

    def read(self, path: str) -> Model:
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="np") as file:
                record = json.loads((file.metadata() or {}).get(KEY, "null"))
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dict
        except (SafetensorError, ValueError, RecursionError) as error:
            raise InputError(
                f"the file is damaged or cut short: {error}", source=path, hint="write the model again"
            ) from None
        return model_of(record, arrays, path)

    def takes(self, model: Model) -> bool:
        return is_ours(model)

    def write(self, model: Model, path: str, **options: Any) -> None:
        from safetensors.numpy import save_file

        record = json.dumps(record_of(model), ensure_ascii=False, allow_nan=False)
        save_file(model.arrays(), path, metadata={KEY: record})  # type: ignore[attr-defined]


FORMAT = Safetensors()
