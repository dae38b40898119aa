"""idealist completion: commands, options, measures and conventions on the Tab key."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "print a script that makes a shell complete commands and options"
EPILOG = """examples:
  idealist completion bash >> ~/.bashrc
  idealist completion zsh >> ~/.zshrc        # below compinit
  idealist completion fish > ~/.config/fish/completions/idealist.fish

Commands, options, their choices, measures (-m) and conventions are completed; wherever a file may stand, files are."""
# Asked with the words of the line, the last of which is the one to be completed. No answer stands for files.
SCRIPTS = {
    "bash": """\
_idealist() {
  local IFS=$'\\n'
  COMPREPLY=($(idealist completion bash --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null))
}
complete -o bashdefault -o default -F _idealist idealist
""",
    "zsh": """\
#compdef idealist
_idealist() {
  local -a answers
  answers=("${(@f)$(idealist completion zsh --complete "${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ -n "${answers[1]}" ]]; then _describe idealist answers; else _files; fi
}
if [[ "${funcstack[1]}" = _idealist ]]; then _idealist "$@"; else compdef _idealist idealist; fi
""",
    "fish": """\
function __idealist
    set --local words (commandline --tokenize --cut-at-cursor) (commandline --current-token)
    set --local answers (idealist completion fish --complete $words[2..] 2> /dev/null)
    if test -n "$answers"
        printf '%s\\n' $answers
    else
        __fish_complete_path (commandline --current-token)
    end
end
complete --command idealist --no-files --arguments '(__idealist)'
""",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=tuple(SCRIPTS), metavar="SHELL", help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    sys.stdout.write(SCRIPTS[arguments.shell])
    return 0
