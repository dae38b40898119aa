"""Inside sentence-transformers' trainers: our losses, and our measures as evaluators of bi-encoders and cross-encoders."""

from __future__ import annotations

import csv
from pathlib import Path

import torch
from sentence_transformers.base.evaluation import BaseEvaluator
from sentence_transformers.util import batch_to_device

from idealist.base.values import as_count
from idealist.base.wording import and_more
from idealist.conventions import DEFAULT, as_conventions
from idealist.data import Judgments, Run
from idealist.data.reading import read_judgments
from idealist.data.tables import read_texts
from idealist.errors import InputError
from idealist.evaluation.measuring import evaluate
from idealist.measures.measure import Measure
from idealist.measures.naming import parse
from idealist.statistics.intervals import mean_interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from sentence_transformers import SentenceTransformer
    from sentence_transformers.cross_encoder import CrossEncoder

    from idealist.conventions import Conventions
    from idealist.evaluation.evaluation import Evaluation
    from idealist.learn.losses.loss import Loss


class MeasureEvaluator(BaseEvaluator):
    """The first measure is the one by which the best checkpoint is chosen: `primary_metric`, `greater_is_better`."""

    def __init__(
        self,
        measures: str | Measure | Sequence[str | Measure],
        conventions: str | Conventions,
        name: str,
        write_csv: bool,
    ) -> None:
        super().__init__()
        several = [measures] if isinstance(measures, (str, Measure)) else list(measures)
        self.measures = [parse(measure) for measure in several]
        if not self.measures:
            raise InputError("no measure was given", hint='for example ["nDCG@10", "RR@10"]')
        self.conventions = as_conventions(conventions)
        self.name = name
        self.write_csv = write_csv
        prefix = f"{name}_" if name else ""
        self.primary_metric = f"{prefix}{self.measures[0]}"
        self.greater_is_better = self.measures[0].better != "lower"

    def report(
        self, model: Any, values: dict[str, float], output_path: str | None, epoch: int, steps: int
    ) -> dict[str, float]:
        """The values as trainers take them; to the model's card and, with an output path, to a CSV file there."""
        if output_path is not None and self.write_csv:
            self._write(Path(output_path), epoch, steps, values)
        metrics: dict[str, float] = self.prefix_name_to_metrics(values, self.name)
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return metrics

    def _write(self, folder: Path, epoch: int, steps: int, values: dict[str, float]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{type(self).__name__}{'_' + self.name if self.name else ''}_results.csv"
        new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if new:
                writer.writerow(["epoch", "steps", *values])
            writer.writerow([epoch, steps, *values.values()])

    def get_config_dict(self) -> dict[str, Any]:
        """For the model card."""
        return {
            "measures": [str(measure) for measure in self.measures],
            "conventions": str(self.conventions),
        }


MEASURES = ("nDCG@10", "RR@10", "AP@100", "R@100")


class RetrievalEvaluator(MeasureEvaluator):
    """Ranks `documents` for the judged `queries` by the similarity of the model, and measures what it ranks.

    Queries and documents are texts by id, as mappings or files; `judgments` are whatever `evaluate` takes. Documents are
    encoded `chunk` at a time, and the best `depth` of each query are kept, so that memory is bounded. The first measure is the
    one by which checkpoints are chosen (`primary_metric`, `greater_is_better`). `run` and `result` are those of the last call, for
    `compare`. Called with an output path, it adds a row to a CSV file there.
    """

    def __init__(
        self,
        queries: Any,
        documents: Any,
        judgments: Any,
        measures: str | Measure | Sequence[str | Measure] = MEASURES,
        *,
        depth: int = 1000,
        conventions: str | Conventions = DEFAULT,
        name: str = "",
        batch_size: int = 32,
        chunk: int = 50_000,
        write_csv: bool = True,
    ) -> None:
        super().__init__(measures, conventions, name, write_csv)
        self.judgments = judgments if isinstance(judgments, Judgments) else _judgments(judgments)
        texts = read_texts(queries, "queries")
        missing = [query for query in self.judgments if query not in texts]
        if missing:
            raise InputError(
                f"query {missing[0]!r} is judged but has no text{and_more(len(missing))}",
                hint="give the texts of all judged queries",
            )
        self.queries = {query: texts[query] for query in self.judgments}
        self.documents = read_texts(documents, "documents")
        if not self.documents:
            raise InputError("there are no documents to be ranked", hint="texts by id")
        self.depth, self.chunk = as_count(depth, "depth"), as_count(chunk, "chunk")
        self.batch_size = batch_size
        self.run: Run | None = None
        self.result: Evaluation | None = None

    def __call__(
        self, model: SentenceTransformer, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        self.run = self._ranked(model)
        self.result = evaluate(self.judgments, self.run, self.measures, conventions=self.conventions)
        values: dict[str, float] = {}
        for measure in self.measures:
            values[str(measure)] = float(self.result.mean(measure))
            by_query = list(self.result.by_query(measure).values())
            interval = mean_interval(by_query, bounds=measure.bounds)
            if interval is not None:
                values[f"{measure}_low"], values[f"{measure}_high"] = interval.low, interval.high
        return self.report(model, values, output_path, epoch, steps)

    def _ranked(self, model: SentenceTransformer) -> Run:
        """The best documents of every query; of equal scores, the one that comes first in `documents`."""
        how: dict[str, Any] = {
            "batch_size": self.batch_size,
            "convert_to_tensor": True,
            "show_progress_bar": False,
        }
        ids, texts = list(self.documents), list(self.documents.values())
        query_vectors = model.encode_query(list(self.queries.values()), **how)
        scores = torch.empty((len(self.queries), 0), device=query_vectors.device)
        places = torch.empty((len(self.queries), 0), dtype=torch.long, device=query_vectors.device)
        for start in range(0, len(texts), self.chunk):
            document_vectors = model.encode_document(texts[start : start + self.chunk], **how)
            new = model.similarity(query_vectors, document_vectors).to(scores)
            numbers = torch.arange(start, start + new.shape[1], device=places.device).expand_as(new)
            scores, places = torch.cat([scores, new], 1), torch.cat([places, numbers], 1)
            scores, order = scores.sort(dim=1, descending=True, stable=True)
            scores, places = scores[:, : self.depth], places.gather(1, order)[:, : self.depth]
        return Run.from_top(
            places.cpu().numpy(),
            scores.cpu().double().numpy(),
            queries=list(self.queries),
            documents=ids,
            name=self.name or "model",
        )

    def get_config_dict(self) -> dict[str, Any]:
        """For the model card."""
        return {**super().get_config_dict(), "depth": self.depth}


def _judgments(source: Any) -> Judgments:
    return read_judgments(source) if isinstance(source, (str, Path)) else Judgments(source)


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
