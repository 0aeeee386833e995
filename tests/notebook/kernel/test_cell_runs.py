"""A cell that is run again takes the place of its earlier run."""

import pytest

from course.notebook.kernel.cell_runs import CellRuns
from course.notebook.kernel.listener import Cells

LOOP = "for batch in loader:\n    loss = model(**batch).loss\n    loss.backward()\n"
ASK = "with torch.no_grad():\n    metric.add_batch(model(**batch).logits)\n"


def trained() -> CellRuns:
    runs = CellRuns()
    runs.begin("loop", LOOP, range(1, 4))
    runs.note_training()
    runs.begin("ask", ASK, range(4, 6))
    return runs


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("loop", "for batch in other:\n    train(batch)\n", True),
        ("copy", LOOP + "    optimizer.zero_grad()\n", True),
        ("ask", ASK, False),
        ("new", "print(accuracy)\n", False),
    ],
)
def test_a_training_begins_anew_with_a_cell_that_has_trained(
    name: str, text: str, expected: bool
) -> None:
    assert trained().begin(name, text, range(6, 9)) is expected


def test_an_evaluation_that_was_run_again_leaves_its_earlier_passes_out() -> None:
    runs = trained()
    training = {"line": 2, "reached": 9}
    before, after = {"line": 5, "reached": 0}, {"line": 8, "reached": 0}
    ledger = {"steps": 9, "passes": [training, before, after]}
    assert runs.current(ledger) == ledger
    runs.begin("mended", "model.eval()\n" + ASK, range(6, 9))
    assert runs.current(ledger) == {"steps": 9, "passes": [training, after]}


def test_a_cell_that_is_run_again_as_it_was_has_new_lines() -> None:
    cells = Cells({})
    assert cells.begin(ASK) == range(1, 3)
    assert cells.begin(LOOP) == range(3, 6)
    assert cells.begin(ASK) == range(6, 8)
