"""The lines that a fault of a script may have to be mended in, as a run tells them."""

from pathlib import Path

from course.diagnosis import locate
from course.diagnosis.user_script import ScriptRun, UserScript
from course.judge.script_verdict import judge_script
from course.render import story
from course.render.blocks import Code
from course.runs.process import Run
from course.runs.record import Frame, Raised, RunRecord

TEXT = """from torch import nn

first = nn.Linear(4, 8)
second = nn.Linear(9, 3)
for x in loader:
    second(first(x))
"""
ERROR = Raised(
    "builtins.RuntimeError",
    ("builtins.RuntimeError", "builtins.Exception"),
    "mat1 and mat2 shapes cannot be multiplied (2x8 and 9x3)",
    (
        Frame("__main__", "train.py", "<module>", 6, "second(first(x))", script=True),
        Frame("torch.nn.modules.linear", "torch/nn/modules/linear.py", "forward", 134, ""),
    ),
    state={"layer.kind": "Linear", "layer.wants": 9, "layer.got": 8},
)


def ran(path: Path) -> ScriptRun:
    record = RunRecord("exception", raised=ERROR)
    return ScriptRun(UserScript(path), Run(record, (), ""), judge_script(record))


def test_the_layers_of_the_sizes_that_were_measured_are_named(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(TEXT, "utf-8")
    done = ran(path)
    (naming,) = done.verdict.namings
    assert naming.fault.id == "layer-sizes-do-not-fit"
    assert locate.find_place(done, naming)[:2] == ("train.py", (6, 4, 3))
    path.unlink()
    assert locate.find_place(done, naming)[:2] == ("train.py", (6,))


def test_the_report_shows_the_other_lines_with_their_text(tmp_path: Path) -> None:
    done = ran(tmp_path / "train.py")
    lines = {"layer-sizes-do-not-fit": [(4, "second = nn.Linear(9, 3)")]}
    told = list(story.of_script(done.verdict, done.run.record, "", lines))
    assert Code("second = nn.Linear(9, 3)  # line 4") in told
