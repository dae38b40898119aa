"""For sentence-transformers' `CrossEncoderTrainer`: our losses, and our measures as its evaluator."""

from __future__ import annotations

import torch
from sentence_transformers.util import batch_to_device

from idealist.conventions import DEFAULT
from idealist.errors import InputError
from idealist.evaluation.measuring import evaluate
from idealist.learn.evaluators import MeasureEvaluator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from sentence_transformers.cross_encoder import CrossEncoder

    from idealist.conventions import Conventions
    from idealist.learn.losses.base import Loss
    from idealist.measures.base import Measure


class CrossEncoderLoss(torch.nn.Module):
    """A loss of Idealist in the place of `LambdaLoss` and the other list-wise losses of sentence-transformers.

    The columns are theirs: a query, the list of its documents, and `labels`, the list of their grades. The model has one
    output. `mini_batch_size` pairs go through the model at a time, all of a batch if it is not given; as there, what is
    kept for the gradient is that of the whole batch.
    """

    def __init__(
        self,
        model: CrossEncoder,
        loss: Loss,
        *,
        activation_fn: Callable[[torch.Tensor], torch.Tensor] | None = None,
        mini_batch_size: int | None = None,
    ) -> None:
        super().__init__()
        if model.num_labels != 1:
            raise InputError(
                f"the model has {model.num_labels} outputs",
                hint="make it with num_labels=1: one score a document",
            )
        self.model = model
        self.loss = loss
        self.activation_fn = activation_fn
        self.mini_batch_size = mini_batch_size

    def forward(
        self,
        inputs: list[list[Any]],
        labels: list[torch.Tensor] | torch.Tensor,
        prompt: str | None = None,
        task: str | None = None,
    ) -> torch.Tensor:
        if len(inputs) != 2 or isinstance(labels, torch.Tensor):
            raise InputError(
                f"{len(inputs)} columns, and labels that are {'one' if isinstance(labels, torch.Tensor) else 'several'} a row",
                hint="columns of queries, of lists of documents, and labels: a list of grades for each query",
            )
        queries, lists = inputs
        sizes = [len(documents) for documents in lists]
        for at, (size, grades) in enumerate(zip(sizes, labels, strict=True)):
            if size != len(grades):
                raise InputError(
                    f"query {queries[at]!r} has {size} documents and {len(grades)} labels",
                    hint="one label for each document",
                )
        pairs = [(query, text) for query, documents in zip(queries, lists, strict=True) for text in documents]
        scores = self._scores(pairs, prompt, task)
        grades = torch.cat(list(labels)).to(scores.device) if pairs else torch.zeros_like(scores)
        result: torch.Tensor = self.loss(scores, grades, sizes=sizes)
        return result

    def _scores(self, pairs: list[tuple[str, str]], prompt: str | None, task: str | None) -> torch.Tensor:
        step = self.mini_batch_size or max(len(pairs), 1)
        parts = []
        for first in range(0, len(pairs), step):
            tokens = self.model.preprocess(pairs[first : first + step], prompt=prompt, task=task)
            parts.append(self.model(batch_to_device(tokens, self.model.device))["scores"].view(-1))
        scores = torch.cat(parts).float() if parts else torch.zeros(0, device=self.model.device)
        return scores if self.activation_fn is None else self.activation_fn(scores)

    def get_config_dict(self) -> dict[str, Any]:
        """For the model card."""
        return {
            "loss": type(self.loss).__name__,
            **self.loss.settings(),
            "mini_batch_size": self.mini_batch_size,
        }


class CrossEncoderEvaluator(MeasureEvaluator):
    """The measures that are reported, while a cross encoder is trained.

    `samples` are rows with a query, its documents and their grades, under the names `query`, `docs` and `labels` as in
    training, or others named by `columns`; a `datasets.Dataset` is such rows. The first measure is the one by which the
    best checkpoint is chosen and training is stopped early: `metric_for_best_model=f"eval_{evaluator.primary_metric}"`,
    with `greater_is_better=evaluator.greater_is_better`. Documents are ranked by the model's logits: after its sigmoid high
    scores would be tied. Called with an output path, it adds a row to a CSV file there.
    """

    def __init__(
        self,
        samples: Iterable[Mapping[str, Any]],
        measures: str | Measure | Sequence[str | Measure] = "nDCG@10",
        *,
        columns: tuple[str, str, str] = ("query", "docs", "labels"),
        conventions: str | Conventions = DEFAULT,
        name: str = "",
        batch_size: int = 32,
        write_csv: bool = True,
    ) -> None:
        super().__init__(measures, conventions, name, write_csv)
        self.batch_size = batch_size
        self.pairs: list[tuple[str, str]] = []
        self.judgments: dict[str, dict[str, float]] = {}
        for at, row in enumerate(samples):
            self._add(at, row, columns)
        if not self.pairs:
            raise InputError("there is no document to be ranked", hint="give rows with documents")

    def _add(self, at: int, row: Mapping[str, Any], columns: tuple[str, str, str]) -> None:
        missing = [column for column in columns if column not in row]
        if missing:
            raise InputError(
                f"sample {at} has no {missing[0]!r}", hint=f"it has {', '.join(row)}; columns=… names others"
            )
        query, documents, grades = (row[column] for column in columns)
        if len(documents) != len(grades):
            raise InputError(
                f"sample {at}, query {query!r}, has {len(documents)} documents and {len(grades)} grades",
                hint="one grade for each document",
            )
        self.judgments[str(at)] = {str(place): float(grade) for place, grade in enumerate(grades)}
        self.pairs += [(query, document) for document in documents]

    def __call__(
        self, model: CrossEncoder, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        scores = model.predict(
            self.pairs,
            batch_size=self.batch_size,
            activation_fn=torch.nn.Identity(),
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        following = iter(scores.tolist())
        run = {
            query: {document: next(following) for document in documents}
            for query, documents in self.judgments.items()
        }
        result = evaluate(self.judgments, run, self.measures, conventions=self.conventions)
        values = {str(measure): float(result.mean(measure)) for measure in self.measures}
        return self.report(model, values, output_path, epoch, steps)
