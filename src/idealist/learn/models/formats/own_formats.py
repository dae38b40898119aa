"""Our own models in JSON, those whose numbers are few, and in safetensors: arrays, and the rest as a record. No pickle."""

from __future__ import annotations

import json

from idealist.errors import InputError, located
from idealist.learn.models.base_model import Bag, training_of, training_record
from idealist.learn.models.formats.model_format import ModelFormat, read_json, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy import ndarray

    from idealist.learn.models.base_model import Model


OURS = "idealist model"
VERSION = 1
KINDS = ("linear", "neural", "trees", "network")  # and bags of these


def is_ours(model: Model) -> bool:
    """Whether a model is of a kind that is written as a record."""
    if isinstance(model, Bag):
        return all(is_ours(member) for member in model.models)
    # The class itself: one derived from it may score in another way.
    return model.kind in KINDS and type(model) is _class_of(model.kind)


def record_of(model: Any) -> dict[str, Any]:
    """All of a model but its arrays."""
    return {
        "format": OURS,
        "version": VERSION,
        "kind": model.kind,
        "features": list(model.names),
        **model.record(),
        "training": training_record(model.training),
    }


def model_of(record: object, arrays: Mapping[str, ndarray], source: str) -> Model:
    """The model that a record and its arrays are of; one that is not ours, or not whole, is an InputError."""
    if not isinstance(record, dict) or record.get("format") != OURS:
        raise InputError("this is not a model of Idealist", source=source, hint="idealist train writes one")
    if record.get("version") != VERSION:
        raise InputError(
            f"this model is of version {record.get('version')!r}, and {VERSION} is read here",
            source=source,
            hint="read it with the version of Idealist that wrote it",
        )
    try:
        return _model(record, arrays)
    except InputError as error:
        raise located(error, source) from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError) as error:
        raise InputError(
            f"this model is incomplete: {type(error).__name__}: {error}", source=source, hint="write it again"
        ) from None


def _model(record: Mapping[str, Any], arrays: Mapping[str, ndarray]) -> Model:
    kind = record["kind"]
    model: Model
    if kind == Bag.kind:
        model = Bag([
            _model({**member, "features": record["features"]}, _of_member(arrays, number))
            for number, member in enumerate(record["models"])
        ])  # fmt: skip
    elif kind in KINDS:
        model = _class_of(kind).from_record(record, arrays)
    else:
        raise InputError(
            f"there is no kind of model {kind!r}", hint=f"this Idealist knows {', '.join((*KINDS, Bag.kind))}"
        )
    model.training = training_of(record.get("training") or {})
    return model


def _of_member(arrays: Mapping[str, ndarray], number: int) -> dict[str, ndarray]:
    """The arrays of one model of a bag, by their own names."""
    prefix = f"{number}."
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _class_of(kind: str) -> Any:
    """The class of a kind: with `record`, `arrays` and `from_record`."""
    if kind == "linear":
        from idealist.learn.models.linear import Linear

        return Linear
    if kind == "trees":
        from idealist.learn.models.trees import TreeEnsemble

        return TreeEnsemble
    if kind == "network":
        from idealist.learn.models.ranklib_models import SigmoidNetwork

        return SigmoidNetwork
    from idealist.learn.models.neural_model import Neural

    return Neural


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


JSON = Json()


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


SAFETENSORS = Safetensors()
