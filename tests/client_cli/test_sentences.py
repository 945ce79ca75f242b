"""What people read goes through the catalogs: no sentence of the client is a bare string."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import client_cli
from client_cli.vocabulary import LOCAL

CODE = Path(client_cli.__file__).parent
SAYING = {"tr", "tr_n", "tr_later"}

READ = re.compile(r"[A-Za-z]{2,}[,.:;!?)]* +[(]?[A-Za-z]|(?:^| )[A-Za-z]{2,}[.!?]$|^[A-Z][a-z]{3,}$")
"""Words one after another, the end of a sentence, or a word with a capital letter."""

TYPED = re.compile(rf"(?:{'|'.join({word for words in LOCAL.values() for word in words})}| |[+0-9])+")
COMMAND = re.compile(r"(?:Examples:\n +)?(?:K7QF 2MXR|paizhuo|chuo-pai|paohuzi|wss?://\S+) ")
STYLE = re.compile(r"(?:(?:bold|dim|reverse|italic|underline|on|\$[a-z-]+) ?)+")
"""What can be typed, lines for a shell, and styles of the full screen: the same in every language."""

LOOKED_FOR = {"startswith", "removeprefix", "search", "compile", "fullmatch", "match", "getattr"}
FOR_PROGRAMMERS = {"AssertionError", "TypeVar", "Literal", "Binding", "Path", "files", "CheckedDeal"}
NOT_SHOWN = LOOKED_FOR | FOR_PROGRAMMERS
HELP = {"help", "help_epilogue"}
"""What `--help` says is English."""

NAMES = {"English", "Bahasa Indonesia", "Player", "Paizhuo"}
"""Languages as their speakers call them, who has no name, and the program."""

PROGRAMS_SAY = {"listening on ", "_paizhuo._tcp.local.", ".local."}
"""Of programs to this one."""


def called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_set_up(node: ast.AST) -> bool:
    """Style sheets, and keys without a footer that would name them."""
    named = [getattr(target, "id", "") for target in node.targets] if isinstance(node, ast.Assign) else []
    return any(name.endswith(("CSS", "BINDINGS")) for name in named)


def bare(tree: ast.AST) -> Iterator[ast.Constant]:
    """Strings that are neither said through the catalogs nor of a kind that nobody reads."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or is_docstring(node) or is_set_up(node):
                continue
            if isinstance(node, ast.Assert | ast.Compare) or (isinstance(node, ast.keyword) and node.arg in HELP):
                continue
            if isinstance(node, ast.Call) and called(node) in SAYING | NOT_SHOWN:
                for keyword in node.keywords if called(node) in SAYING else ():
                    yield from bare(keyword)
                continue
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and READ.search(node.value):
                yield node
            yield from bare(node)


def is_the_same_everywhere(text: str) -> bool:
    return text in NAMES | PROGRAMS_SAY or bool(COMMAND.match(text) or STYLE.fullmatch(text) or TYPED.fullmatch(text))


@pytest.mark.parametrize("module", sorted(str(path.relative_to(CODE)) for path in CODE.rglob("*.py")))
def test_every_sentence_goes_through_the_catalogs(module: str) -> None:
    found = bare(ast.parse((CODE / module).read_text(encoding="utf-8")))
    assert [(each.lineno, each.value) for each in found if not is_the_same_everywhere(str(each.value))] == []


@pytest.mark.parametrize(
    "code",
    [
        'show("The room is closed.")',
        'def closed():\n    return f"The room {code} is closed"',
        'tr("{reason}", reason="no answer at all")',
        'Label("Settings")',
    ],
)
def test_a_bare_sentence_is_found(code: str) -> None:
    assert list(bare(ast.parse(code)))
