"""For sentence-transformers' `SentenceTransformerTrainer`: what a model retrieves, by our measures."""

from __future__ import annotations

from pathlib import Path

import torch

from idealist.base.values import as_count
from idealist.base.wording import and_more
from idealist.conventions import DEFAULT
from idealist.data import Judgments, Run
from idealist.data.reading import read_judgments
from idealist.data.tables import read_texts
from idealist.errors import InputError
from idealist.evaluation.measuring import evaluate
from idealist.learn.evaluators import MeasureEvaluator
from idealist.statistics.intervals import mean_interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sentence_transformers import SentenceTransformer

    from idealist.conventions import Conventions
    from idealist.evaluation.evaluation import Evaluation
    from idealist.measures.base import Measure

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
