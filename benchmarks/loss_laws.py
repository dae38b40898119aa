"""Which laws of losses are kept by whom: ours, sentence-transformers', and the formulas of allRank and keras-rs.

`python benchmarks/loss_laws.py` prints a table, and below it a counterexample for every law that is broken;
docs/learn-losses.md has the output. All are asked for `laws.GENERAL` and "shift", for "cut-off" where they have one, and for
"limit" where they have a temperature.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import torch
from loss_formulas import (
    Form,
    allrank_approx_ndcg,
    allrank_lambda_loss,
    allrank_list_mle,
    allrank_list_net,
    allrank_neural_ndcg,
    allrank_rank_net,
    keras_list_mle,
    keras_pairwise,
    sentence_transformers_losses,
)

from idealist.learn import laws
from idealist.learn.losses.loss_names import LOSSES
from idealist.show import Table

K = 3


def asked(loss: Form, k: int | None, make: Callable[[float], Form] | None = None) -> laws.LawResults:
    claims = [*laws.GENERAL, "shift", *(["cut-off"] if k else []), *(["limit"] if make else [])]
    measure = "nDCG(gain=exp)" if make else None
    return laws.check(loss, claims=claims, k=k, measure=measure, at_temperature=make)


def results() -> dict[tuple[str, str], laws.LawResults]:
    """By project and loss."""
    found: dict[tuple[str, str], laws.LawResults] = {}
    for make in LOSSES:
        settings: dict[str, Any] = {"sample": False} if make.__name__ == "XENDCG" else {}
        found["idealist", make.__name__] = laws.check(make(f"nDCG(gain=exp)@{K}", **settings))
    for name, (loss, k) in sentence_transformers_losses(K).items():
        found["sentence-transformers", name] = asked(loss, k)
    for name, loss, k, cooled in (
        ("listNet", allrank_list_net, None, None),
        ("listMLE", allrank_list_mle, None, None),
        ("rankNet", allrank_rank_net, None, None),
        ("lambdaLoss 2++", allrank_lambda_loss(None), None, None),
        (f"lambdaLoss 2++, k={K}", allrank_lambda_loss(K), K, None),
        ("approxNDCG", allrank_approx_ndcg(1.0), None, allrank_approx_ndcg),
        ("neuralNDCG", allrank_neural_ndcg(1.0), None, allrank_neural_ndcg),
    ):
        found["allRank, its formulas", name] = asked(loss, k, cooled)
    found["keras-rs, its formulas", "PairwiseLogisticLoss"] = asked(keras_pairwise, None)
    found["keras-rs, its formulas", "ListMLELoss"] = asked(keras_list_mle, None)
    return found


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    found = results()
    print(f"PyTorch {version('torch')}, sentence-transformers {version('sentence-transformers')}\n")
    rows = []
    for (project, name), one in found.items():
        checked = sum(check.outcome != "not claimed" for check in one)
        rows.append([project, name, str(checked), ", ".join(one.broken) or "none"])
    print(Table(["project", "loss", "laws", "broken"], rows).to_text())
    for (project, name), one in found.items():
        for check in one:
            if check.outcome == "broken":
                print(f"{project}, {name}, {check.law}:\n  {check.counterexample}")


if __name__ == "__main__":
    main()
