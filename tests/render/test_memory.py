"""What `course memory` shows, of an estimate that is made up."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from course.base import i18n
from course.render import memory as pages
from course.runs import memory
from course.runs.memory import MemoryCase, MemoryEstimate, MemoryParts
from tests.render.terminals import drawn


def parts(parameters: int, activations: int) -> MemoryParts:
    return MemoryParts(parameters, 4 * parameters, 4 * parameters, 8 * parameters, activations)


ESTIMATE = MemoryEstimate(
    memory.checkpoints()["distilbert-base-uncased"],
    8,
    128,
    parts(950_000, 39_000_000),
    True,
    parts(67_000_000, 444_000_000),
    tuple(MemoryCase(what, 8, 128, 222_000_000) for what in memory.CASES),
    {name: parts(1_558_000_000, 11_600_000_000) for name in memory.checkpoints()},
)


def lines(width: int, estimate: MemoryEstimate = ESTIMATE) -> list[str]:
    return drawn(pages.page(estimate), width).splitlines()


@pytest.mark.parametrize("language", ["en", "zh", "ru"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_tables_fit_the_terminal(language: str, width: int) -> None:
    i18n.activate(language)
    assert max(cell_len(line.rstrip()) for line in lines(width)) <= width


def test_the_sums_are_of_all_parts() -> None:
    shown = [" ".join(line.split()) for line in lines(120)]
    assert "weights 3.8 MB 268 MB" in shown
    assert "Adam's state 7.6 MB 536 MB" in shown
    assert "all together 54 MB 1.5 GB" in shown
    assert "a batch of 8 222 MB 1.3 GB" in shown
    # GPT-2 XL takes 6 GB for its weights, and well over 20 GB before the first example.
    assert "`gpt2-xl` 6.2 GB 24.9 GB 36.5 GB" in shown


def test_a_step_on_a_gpu_is_told_where_there_is_one() -> None:
    assert not any("This machine's GPU" in line for line in lines(120))
    fitted = replace(ESTIMATE, gpu={"size": 8_000_000_000, "peak": 1_300_000_000})
    assert "GPU has 8.0 GB of memory. A step of the real model used 1.3 GB of it." in " ".join(
        lines(120, fitted)
    )
    failed = replace(ESTIMATE, gpu={"size": 8_000_000_000, "peak": None})
    assert "did not fit" in " ".join(lines(120, failed))


def test_a_text_is_no_longer_than_the_model_reads() -> None:
    known = memory.checkpoints()["distilbert-base-uncased"]
    assert {what for what, _size in memory._cases(known, 8, 300)} == {*memory.CASES} - {
        "twice-length"
    }
    assert known.positions == 512
    assert memory.checkpoints()["gpt2-xl"].positions == 1024
