"""Places in a script's text: numbers under a name, layers in a list."""

from course.diagnosis.text import place
from course.diagnosis.text.leads import Clue
from course.diagnosis.text.lines import find, told
from course.diagnosis.text.script_text import ScriptText

SETTINGS = """
import argparse
LR = 3e-6
config = {"epochs": 3, "learning_rate": 1e-7}
class Config:
    base_lr: float = 4.0
    clear: bool = True
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float,
                    default=1e-8)
lr = optimizer.param_groups[0]["lr"]
"""
KEPT = """
class Net(Module):
    def __init__(self, sizes):
        self.heads = [layers.Linear(4, n) for n in sizes]
        self.sizes = [int(n) for n in sizes]
        self.body = layers.Linear(4, 4)
"""


def lines(text: str, where: str) -> list[int]:
    return place.lines(ScriptText.read("train.py", text), where)


def test_a_number_stands_under_a_name_in_many_ways() -> None:
    assert lines(SETTINGS, "number (?i)(lr|learning_rate)$") == [3, 4, 6, 10]
    assert lines(SETTINGS, "number epochs") == [4]


def test_layers_in_a_list_are_told_and_no_other_lists() -> None:
    assert lines(KEPT, "listed ") == [4]


def test_what_figures_tell_of_a_line_comes_first() -> None:
    assert told({"items_apart": 1.0, "items_apart_line": 7.0}) == (7,)
    script = ScriptText.read("train.py", "a = 1\nm.compute()\n")
    clue = Clue(told({"items_apart_line": 1.0}))
    assert find(script, "metric-of-last-batch", clue).lines[0] == 1
