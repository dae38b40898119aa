"""ONNX: a model as a graph from the features of one query's documents to their scores, normalisation included."""

from __future__ import annotations

import logging
import warnings
from importlib import import_module

from idealist.errors import InputError
from idealist.learn.models.base_model import Bag
from idealist.learn.models.formats.model_format import ModelFormat
from idealist.learn.models.formats.own_formats import is_ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.models.base_model import Model

OPSET = 18


class Onnx(ModelFormat):
    name = "onnx"
    label = "ONNX"
    about = "written only: `features`, documents × features of one query, to `scores`, both of 64 bits; the names of features in its metadata"
    endings = (".onnx",)

    def recognises(self, head: bytes) -> bool:
        # Protocol buffers have no mark; an exporter's name stands near the beginning.
        return head[:1] == b"\x08" and b"pytorch" in head[:200]

    def read(self, path: str) -> Model:
        raise InputError(
            "ONNX files can be written, but not read",
            source=path,
            hint="score with onnxruntime, or keep the model as JSON or safetensors",
        )

    def takes(self, model: Model) -> bool:
        return is_ours(model) and _has_graph(model)

    def try_write(self, model: Model, path: str, **options: Any) -> None:
        # The export itself takes seconds; whether it can be called is known without.
        import_module("onnx")
        import_module("onnxscript")
        import_module("torch")

    def write(self, model: Model, path: str, **options: Any) -> None:
        import onnx
        import torch

        from idealist.learn.models.formats.onnx_graphs import query_scorer

        module = query_scorer(model)
        example = torch.randn(3, len(model.names), dtype=torch.float64)
        with warnings.catch_warnings(), _quiet("torch.onnx"):
            # PyTorch's exporter warns of what it calls itself, and of libraries that are not needed here.
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                module,
                (example,),
                dynamo=True,
                opset_version=OPSET,
                input_names=["features"],
                output_names=["scores"],
                dynamic_shapes={"features": {0: torch.export.Dim("documents", min=1)}},
                verbose=False,
            )
        proto = program.model_proto
        onnx.helper.set_model_props(proto, {"features": "\n".join(model.names)})
        onnx.save_model(proto, path)


class _quiet:
    """A logger that says only errors, for a `with` statement."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def __enter__(self) -> None:
        self._level = self._logger.level
        self._logger.setLevel(logging.ERROR)

    def __exit__(self, *about: object) -> None:
        self._logger.setLevel(self._level)


def _has_graph(model: Model) -> bool:
    return (
        all(map(_has_graph, model.models)) if isinstance(model, Bag) else model.kind in ("linear", "neural")
    )


ONNX = Onnx()
