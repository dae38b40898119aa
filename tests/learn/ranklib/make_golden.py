"""Writes the files beside this one: made-up data, and what RankLib makes of it.

    python tests/learn/ranklib/make_golden.py CLASSES

CLASSES is the class path of a built RankLib (github.com/codelibs/ranklib at e43f605) with its libraries. Rankers that
draw at random give other models each time, so that the scores are written anew with them.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
FEATURES = 6

# The name of a model file, and the options it is trained with.
MODELS = {
    "mart": "-ranker 0 -tree 12 -leaf 5",
    "ranknet": "-ranker 1 -epoch 5 -layer 2 -node 4 -lr 0.1",
    "rankboost": "-ranker 2 -round 15",
    "adarank": "-ranker 3 -round 20",
    "coordinate": "-ranker 4 -r 2 -i 10",
    "lambdarank": "-ranker 5 -epoch 3 -node 3 -lr 0.1",
    "lambdamart": "-ranker 6 -tree 15 -leaf 6",
    "listnet": "-ranker 7 -epoch 10 -lr 0.1",
    "forest": "-ranker 8 -bag 4 -leaf 8 -tree 2 -tc 10",
    "linear": "-ranker 9",
}
METRICS = [
    "MAP",
    "NDCG@1",
    "NDCG@3",
    "NDCG@10",
    "DCG@3",
    "DCG@10",
    "P@1",
    "P@3",
    "P@10",
    "RR@1",
    "RR@10",
    "ERR@3",
    "ERR@10",
]
NORMALISATIONS = ["sum", "zscore", "linear"]


def made_up(seed: int, queries: range, graded: int) -> tuple[list[str], list[str]]:
    """LETOR lines, and judgments of the documents in them and of some others."""
    draw = random.Random(seed)
    lines, judgments = [], []
    for query in queries:
        for number in range(draw.randint(3, 14)):
            quality = draw.random()
            grade = min(graded, int(quality * (graded + 1))) if query % 100 % 7 else 0
            values = [
                round(quality * 3 + draw.gauss(0, 1), 4),
                round(31.50166952 + quality * 8 + draw.gauss(0, 4), 8),
                round(-9.2 + 2 * draw.gauss(0, 1) + quality, 5),
                draw.randint(0, 3),
                round(draw.random() * 1e-3, 9),
                round(0.1 * number, 2),
            ]
            if query % 100 == 4:
                values[3] = 2  # constant within a query
            if query % 100 == 5:
                values[0] = -abs(values[0]) - 1  # below 0 within a query
            if query % 100 == 6:
                values[3] = 0  # nothing but 0 within a query
            # What is not named is 0; the last feature always is, because RankLib refuses to ask beyond it.
            named = [
                f"{place}:{value}"
                for place, value in enumerate(values, 1)
                if place == FEATURES or draw.random() > 0.05
            ]
            lines.append(f"{grade} qid:{query} {' '.join(named)} # d{query}-{number}")
            judgments.append(f"{query} 0 d{query}-{number} {grade}")
        unseen = range(draw.randint(0, 3))
        judgments += [f"{query} 0 unseen{query}-{number} {draw.randint(0, graded)}" for number in unseen]
    return lines, judgments


def ranklib(classes: str, options: str) -> str:
    command = ["java", "-cp", classes, "ciir.umass.edu.eval.Evaluator", *options.split()]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if done.returncode or "Exception" in said:
        raise SystemExit(f"{options}\n{said}")
    return said


def value_of(said: str, what: str) -> str:
    """What the last line that says so ends with: a forest prints one for each of its bags too."""
    return [line for line in said.splitlines() if what in line][-1].rpartition(": ")[2].strip()


def main(classes: str) -> None:
    # No query is in both files: RankLib keeps the ideal of NDCG by the query's id, from whichever file it saw first.
    for name, seed, queries in (("train", 1, range(1, 13)), ("test", 2, range(101, 109))):
        lines, judgments = made_up(seed, queries, 2)
        (HERE / f"{name}.letor").write_text("\n".join(lines) + "\n")
        (HERE / f"{name}.qrels").write_text("\n".join(judgments) + "\n")
    five, _ = made_up(3, range(1, 7), 4)
    (HERE / "five-grades.letor").write_text("\n".join(five) + "\n")
    (HERE / "reported").write_text("")
    reported = (HERE / "reported").open("a")
    for name, options in MODELS.items():
        model = f"{name}.model"
        said = ranklib(
            classes, f"-train train.letor -test test.letor -metric2t NDCG@10 -save {model} {options}"
        )
        print(name, "trained on", value_of(said, "on training data"), file=reported)
        ranklib(classes, f"-load {model} -rank test.letor -score {name}.scores")
        said = ranklib(classes, f"-load {model} -test test.letor -metric2T NDCG@10")
        print(name, "test NDCG@10", value_of(said, "on test data"), file=reported)
    for norm in NORMALISATIONS:
        ranklib(
            classes, f"-load coordinate.model -norm {norm} -rank test.letor -score coordinate.{norm}.scores"
        )
        said = ranklib(classes, f"-load coordinate.model -norm {norm} -test test.letor -metric2T NDCG@10")
        print(norm, "test NDCG@10", value_of(said, "on test data"), file=reported)
    ranklib(classes, "-load lambdamart.model -norm zscore -rank test.letor -score lambdamart.zscore.scores")
    ranklib(classes, "-load lambdamart.model -rank test.letor -indri lambdamart.indri")
    ranklib(classes, "-rank test.letor -indri input.indri")
    for metric in METRICS:
        for judged in ("", "-qrel test.qrels"):
            for loaded in ("", "-load lambdamart.model", "-load rankboost.model"):
                options = f"{loaded} -test test.letor -metric2T {metric} -idv values.idv {judged}"
                ranklib(classes, options)
                for line in (HERE / "values.idv").read_text().splitlines():
                    print(
                        "idv",
                        loaded.rpartition(" ")[2] or "-",
                        judged.rpartition(" ")[2] or "-",
                        line,
                        file=reported,
                    )
    for gmax in (4, 6):
        ranklib(classes, f"-test five-grades.letor -metric2T ERR@10 -gmax {gmax} -idv values.idv")
        for line in (HERE / "values.idv").read_text().splitlines():
            print("gmax", gmax, "-", line, file=reported)
    # RankBoost draws nothing at random: what RankLib reports of it can be expected of us.
    for splitting in (
        "-kcv 3",
        "-kcv 4 -tvs 0.7",
        "-tts 0.6",
        "-tvs 0.75 -test test.letor",
        "-validate test.letor",
    ):
        said = ranklib(classes, f"-train train.letor -ranker 2 -round 8 -metric2t NDCG@5 {splitting}")
        for line in said.splitlines():
            text = line.removeprefix("INFO: ")
            if (
                text.startswith(("Fold ", "Avg.", "Total"))
                or " on validation data: " in text
                or " on test data: " in text
            ):
                print("split", splitting, "-", " ".join(text.split()), file=reported)
    (HERE / "values.idv").unlink()
    reported.close()


if __name__ == "__main__":
    main(sys.argv[1])
