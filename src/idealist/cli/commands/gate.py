"""idealist gate: may a change ship, by the rules of a file kept in its repository?"""

from __future__ import annotations

import json

from idealist.cli.gate_file import GUARDS, KEYS, read_gate
from idealist.cli.messages import say_note
from idealist.cli.options import add_format, add_threads, write_lines, write_view
from idealist.errors import InputError
from idealist.reporting.verdicts import gate_view

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

a gate.toml:
  kind = "compare"
  judgments = "shop.qrels"
  baseline = "a.run"
  candidate = "b.run"
  measure = "nDCG@10"
  margin = "2%"
  lock = "gate.lock"

  [guards]
  measures = ["RR", "R@10"]"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _manual()
    parser.add_argument("gate", metavar="GATE", help="a TOML file; paths in it are relative to its folder")
    parser.add_argument(
        "--update-lock",
        action="store_true",
        help="measure the baseline and write the lock file that GATE names; nothing is decided",
    )
    add_format(parser)
    add_threads(parser)
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

    if arguments.update_lock:
        given = {"format": arguments.format != "table"}
        given |= {option: bool(getattr(arguments, option)) for option in ("summary", "junit", "github")}
        for option in given:
            if given[option]:
                raise InputError(
                    f"--{option} changes nothing: --update-lock decides nothing", hint=f"leave --{option} out"
                )
        return _update_lock(read_gate(arguments.gate), arguments.threads)
    outputs = GateOutputs.asked_for(arguments)
    with outputs.errors_written():
        gate = read_gate(arguments.gate)
    outputs.refuse_files_of(gate)
    with outputs.errors_written():
        decision = _decided(gate, arguments.threads)
    view = gate_view(decision.verdict, gate.kind, decision.facts, decision.notes, gate.source)
    if arguments.format != "markdown":
        for note in decision.notes:
            say_note(note)
    write_view(view, arguments.format)
    outputs.write_decision(decision, view.to_markdown())
    return decision.verdict.exit_code


def _decided(gate: Gate, threads: int | None) -> GateDecision:
    """What the gate decides, once the lock is as the baseline is."""
    from idealist.cli.gate_running import decide_gate, measures_of_gate

    if gate.settings.get("lock") is None:
        return decide_gate(gate, threads)
    from idealist.cli.gate_lock import read_lock

    measures_of_gate(gate)  # a name that is no measure is no change of the baseline
    lock = read_lock(gate)
    notes = lock.check_inputs(gate)
    decision = decide_gate(gate, threads)
    assert decision.evaluation is not None  # only runs have a lock
    lock.check_values(gate, decision.evaluation, decision.facts["baseline"])
    return decision.replace(notes=(*decision.notes, *notes))


def _update_lock(gate: Gate, threads: int | None) -> int:
    if gate.settings.get("lock") is None:
        raise InputError(
            "this gate names no lock file",
            source=gate.source,
            hint='lock = "gate.lock" names it, in a gate of the kind "compare"',
        )
    from idealist.cli.gate_lock import write_lock

    write_lines(write_lock(gate, threads))
    return 0


def _manual() -> str:
    """Every key of a gate file, from the tables that it is checked by."""
    lines = [EXAMPLES, "", "exit code: 0 ship, 1 block, 3 undecided, 2 an error", ""]
    for kind in KEYS:
        lines.append(f'kind = "{kind}":')
        for prefix, keys in (("", KEYS[kind]), ("guards.", GUARDS[kind])):
            for name, key in keys.items():
                if key.read is None or name == "kind":
                    continue
                default = "" if key.default in (None, {}) else f" (default: {json.dumps(key.default)})"
                needed = ", required" if key.required else default
                lines.append(f"  {prefix + name:<24} {key.about}: {key.kind}{needed}")
        lines.append("")
    return "\n".join(lines)
