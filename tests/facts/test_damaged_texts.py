"""No text of a script, damaged in any way, keeps the facts from being read."""

import ast
import random
from functools import cache
from pathlib import Path

import pytest

from course.facts import record
from course.facts.facts import facts_of
from course.facts.text import of_text, with_uses
from tests.ledgers import event
from tests.tiers import spread

HERE = Path(__file__).parents[1]
SCRIPTS = sorted(
    path
    for folder in ("scripts/faulty", "scripts/honest", "twin")
    for path in HERE.glob(f"{folder}/*.py")
)
QUICK = {*spread(SCRIPTS)}
TIMES = 4


class Damage(ast.NodeTransformer):
    """Puts a number, a name, a call or nothing in the place of one expression in forty."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.JoinedStr):
            return node
        found = super().generic_visit(node)
        is_value = isinstance(node, ast.expr) and isinstance(
            getattr(node, "ctx", ast.Load()), ast.Load
        )
        if is_value and self.chance.random() < 1 / 40:
            texts = ("0", "None", "x", "x()", "x.y", "x[0]", "(x, y)", "{}", "-x", "lambda: x")
            return ast.parse(self.chance.choice(texts), mode="eval").body
        return found


@cache
def measured() -> record.LedgerRecord:
    return record.read(event())


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=() if path in QUICK else pytest.mark.exhaustive)
        for path in SCRIPTS
    ],
)
def test_a_damaged_text_is_read(path: Path) -> None:
    chance = random.Random(path.stem)
    whole = path.read_text("utf-8")
    damaged = (ast.unparse(Damage(chance).visit(ast.parse(whole))) for _time in range(TIMES))
    for text in (whole, *damaged):
        facts = with_uses(text, facts_of(measured()))
        assert all(each.kind == "text" for each in of_text(text, measured(), facts))
