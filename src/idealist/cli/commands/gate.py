"""idealist gate: may a change ship, by the rules of a file kept in its repository?"""

from __future__ import annotations

import json

from idealist.cli.gate_file import KEYS, read_gate
from idealist.cli.messages import say_note
from idealist.cli.options import add_result, add_threads, write_lines, write_view
from idealist.errors import InputError
from idealist.projects.settings import GUARDS
from idealist.show.verdict_tables import gate_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.cli.gate_file import Gate
    from idealist.cli.gate_running import GateDecision

SUMMARY = "decide whether a change may ship, by a file of rules (for CI)"
EXAMPLES = """examples:
  idealist gate gate.toml
  idealist gate gate.toml --format markdown >> comment.md
  idealist gate gate.toml --junit gate.xml --summary summary.md
  idealist gate gate.toml --github       # in GitHub Actions
  idealist gate gate.toml --update-lock  # after a change of the baseline
  idealist gate gate.toml --record decision.json
  idealist gate gate.toml --check-record decision.json

a gate.toml:
  judgments = "shop.qrels"
  baseline = "a.run"
  candidate = "b.run"
  measure = "nDCG@10"
  margin = "2%"
  lock = "gate.lock"

  [guards]
  measures = ["RR", "R@10"]

one decision of runs, numbers and votes:
  judgments = "shop.qrels"
  baseline = "a.run"
  candidate = "b.run"
  numbers = "answers.csv"
  votes = "votes.csv"
  measure = "nDCG@10"

  [guards]
  measures = {"faithfulness" = 0.02, "latency_ms" = "5%"}
  votes = 0.05"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _manual()
    parser.add_argument(
        "gate",
        metavar="GATE",
        help="a project file, in which paths are relative to its folder (default: idealist.toml, here or in a folder above)",
    )
    parser.add_argument(
        "--update-lock",
        action="store_true",
        help="measure the baseline and write the lock file that GATE names; nothing is decided",
    )
    add_result(parser, force=False)
    add_threads(parser)
    group = parser.add_argument_group("a record of the decision")
    group.add_argument(
        "--record",
        metavar="FILE",
        help="write the decision to FILE: rules, inputs by SHA-256, lock, outcome, who decided and when",
    )
    group.add_argument(
        "--by", metavar="NAME", help="who decided (default: the user of CI, or of this computer)"
    )
    group.add_argument("--force", action="store_true", help="replace files that exist already")
    group.add_argument(
        "--check-record",
        metavar="FILE",
        help="whether a record still fits rules and inputs; nothing is decided (exit code 0, or 1 if not)",
    )
    group = parser.add_argument_group("for CI, besides what is printed")
    group.add_argument("--summary", metavar="FILE", help="add the verdict to FILE, as Markdown")
    group.add_argument(
        "--junit", metavar="FILE", help="write the verdict and its guards to FILE, as JUnit XML"
    )
    group.add_argument(
        "--github",
        action="store_true",
        help="write annotations to the log of GitHub Actions, and a summary to $GITHUB_STEP_SUMMARY",
    )


def run(arguments: argparse.Namespace) -> int:
    from idealist.cli.gate_outputs import GateOutputs
    from idealist.cli.gate_record import check_record, refuse_record, write_record

    if arguments.check_record:
        _refuse_beside("check-record", arguments, "update_lock")
        return check_record(arguments.check_record, read_gate(arguments.gate))
    if arguments.update_lock:
        _refuse_beside("update-lock", arguments)
        return _update_lock(read_gate(arguments.gate), arguments.threads)
    outputs = GateOutputs.asked_for(arguments)
    with outputs.errors_written():
        gate = read_gate(arguments.gate)
    outputs.refuse_files_of(gate)
    record = arguments.record
    if record is not None:
        refuse_record(record, gate, force=arguments.force)
    elif arguments.by is not None or (arguments.force and arguments.result_file is None):
        option = "--by" if arguments.by is not None else "--force"
        raise InputError(f"{option} changes nothing without --record", hint=f"leave {option} out")
    with outputs.errors_written():
        decision = _decided(gate, arguments.threads)
    view = gate_view(decision.verdict, decision.parts, decision.notes, gate.source)
    if arguments.format != "markdown":
        for note in decision.notes:
            say_note(note)
    write_view(view, arguments.format)
    outputs.write_decision(decision, view.to_markdown())
    if record is not None:
        write_record(record, gate, decision, by=arguments.by, force=arguments.force)
    return decision.verdict.exit_code


def _refuse_beside(mode: str, arguments: argparse.Namespace, *further: str) -> None:
    """Raises for options of a decision where nothing is decided."""
    options = (*("summary", "junit", "github", "record", "by", "force"), *further)
    given = {"format": arguments.format != "table"} | {
        option: bool(getattr(arguments, option)) for option in options
    }
    for option in given:
        if given[option]:
            named = option.replace("_", "-")
            raise InputError(
                f"--{named} changes nothing: --{mode} decides nothing", hint=f"leave --{named} out"
            )


def _decided(gate: Gate, threads: int | None) -> GateDecision:
    """What the gate decides, once the lock is as the baseline is."""
    from idealist.cli.gate_running import decide_gate

    if gate.settings["lock"] is None:
        return decide_gate(gate, threads)
    from idealist.cli.gate_inputs import GateInputs
    from idealist.cli.gate_lock import read_lock

    if gate.names("judgments") or gate.names("numbers"):
        GateInputs(gate)  # a name that is no measure is no change of the baseline
    lock = read_lock(gate)
    notes = lock.check_inputs(gate)
    decision = decide_gate(gate, threads)
    lock.check_values(gate, decision.evaluation, decision.baseline)
    return decision.replace(notes=(*decision.notes, *notes))


def _update_lock(gate: Gate, threads: int | None) -> int:
    if gate.settings["lock"] is None:
        raise InputError(
            "this gate names no lock file", source=gate.source, hint='lock = "gate.lock" names it'
        )
    from idealist.cli.gate_lock import write_lock

    write_lines(write_lock(gate, threads))
    return 0


def _manual() -> str:
    """Every key of a gate file, from the tables that it is checked by."""
    lines = [EXAMPLES, "", "exit code: 0 ship or unchanged, 1 block, 3 undecided, 2 an error", ""]
    lines.append("keys (judgments with baseline and candidate, numbers, or votes are needed):")
    for prefix, keys in (("", KEYS), ("guards.", GUARDS)):
        for name, key in keys.items():
            default = "" if key.preset in (None, {}) else f" (default: {json.dumps(key.preset)})"
            lines.append(f"  {prefix + name:<24} {key.about}: {key.rule}{default}")
    return "\n".join(lines)
