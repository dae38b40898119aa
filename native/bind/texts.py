"""Writes what the bindings say of themselves, for the compiler: signatures and docstrings, out of the stub that type checkers read.

python3 texts.py _native.pyi native_texts.inc
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def texts(body: list[ast.stmt], scope: str = "") -> Iterator[tuple[str, str, str, int]]:
    """Of every class and function: its name, its signature, its docstring, and how many arguments it takes.

    >>> list(texts(ast.parse("def f(a: int, /) -> int:\\n  'Twice a.'").body))
    [('f', 'def f(a: int, /) -> int', 'Twice a.', 1)]
    """
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield scope + node.name, "", ast.get_docstring(node) or "", 0
            yield from texts(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            taken = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            said = ast.get_docstring(node) or ""
            node.body, node.decorator_list = [ast.Expr(ast.Constant(...))], []
            signature = ast.unparse(node).partition(":\n")[0]
            yield scope + node.name, signature, said, len(taken)


def literal(text: str) -> str:
    return f'R"text({text})text"'


if __name__ == "__main__":
    stub = ast.parse(Path(sys.argv[1]).read_text(encoding="utf-8"))
    entries = [
        f'{{"{name}", {literal(signature)}, {literal(said)}, {count}}},\n'
        for name, signature, said, count in sorted(texts(stub.body))
    ]
    Path(sys.argv[2]).write_text("".join(entries), encoding="utf-8")
