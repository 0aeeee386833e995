"""What is said of small scripts of one's own: nothing that is not so, and no tick unmeasured.

All of them run in one warm process; a few are diagnosed, too, each in processes of its own.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from course.judge.script_verdict import ScriptVerdict, judge_script
from course.render import script_blocks
from course.render.blocks import Paragraph
from course.runs.process import InPlace, Job
from course.runs.run_context import RunContext
from tests.command import course

TABLE = tomllib.loads(Path(__file__).with_name("own_scripts.toml").read_text("utf-8"))
ROWS = [
    (name, {**row, **way}) for name, row in TABLE["script"].items() for way in row.get("ways", [{}])
]
PARTS = """import torch
from torch import nn


class Scores(nn.Module):
    def __init__(self, width, kinds):
        super().__init__()
        self.table = nn.Parameter(torch.rand(width, kinds))

    def forward(self, rows):
        return (rows @ self.table).log_softmax(1)
"""
TOO_FEW_KINDS = """import torch
from torch import nn
from scores import Scores

rows, kinds = torch.rand(60, 5), torch.arange(60) % 4
net = Scores(5, 3)
measure = nn.NLLLoss()
optimizer = torch.optim.Adam(net.parameters())
for _pass in range(4):
    loss = measure(net(rows), kinds)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def script(name: str, **words: str) -> str:
    """Put the common parts into a script of the table, and the words of one of its ways."""
    text: str = TABLE["script"][name]["text"]
    for part, lines in TABLE["parts"].items():
        text = text.replace(f"{part}\n", lines)
    for word, put in words.items():
        text = text.replace(f"{{{word}}}", put)
    return text


def judged(context: RunContext, folder: Path, text: str) -> ScriptVerdict:
    path = folder / "train.py"
    path.write_text(text, "utf-8")
    job = Job("", name=path.name, in_place=InPlace(folder, path.name, path=path))
    return judge_script(context.run(job).record)


def diagnosed(folder: Path, text: str, *arguments: str) -> dict[str, Any]:
    (folder / "train.py").write_text(text, "utf-8")
    command = ("diagnose", "train.py", "--json", "--seconds", "200", *arguments)
    done = course(*command, cwd=folder, timeout=400)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def certain(verdict: ScriptVerdict) -> list[str]:
    return [each.fault.id for each in verdict.namings if each.certain]


def checked(document: dict[str, Any]) -> set[str]:
    return {each["check"] for each in document["checked"]}


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[name for name, _row in ROWS])
def test_what_is_said_of_a_script(
    context: RunContext, tmp_path: Path, name: str, row: dict[str, Any]
) -> None:
    verdict = judged(context, tmp_path, script(name, **row.get("put", {})))
    assert certain(verdict) == row.get("certain", [])
    if "broken" in row:
        assert [each.invariant for each in verdict.broken] == row["broken"]
    if "possible" in row:
        assert list(verdict.possible) == row["possible"]


@pytest.mark.exhaustive
def test_a_loss_that_is_no_number_has_no_tick(tmp_path: Path) -> None:
    found = diagnosed(tmp_path, script("the logarithm of a negative"))
    assert [each["invariant"] for each in found["broken"]] == ["loss-is-a-number"]
    assert checked(found).isdisjoint({"loss-is-finite", "backward-and-step", "one-batch-by-heart"})


@pytest.mark.exhaustive
def test_of_one_batch_nothing_is_said_where_none_was_repeated(tmp_path: Path) -> None:
    found = diagnosed(tmp_path, script("inputs alone shuffled"))
    assert [each["invariant"] for each in found["broken"]] == ["better-than-guessing"]
    why = {each["check"]: each["why"] for each in found["not_checked"]}
    assert "from a loader" in why["one-batch-by-heart"]


def test_of_what_was_not_loaded_no_loss_of_it_is_told(context: RunContext, tmp_path: Path) -> None:
    verdict = judged(context, tmp_path, script("from scratch"))
    (naming,) = verdict.namings
    assert (naming.fault.id, naming.certain) == ("learning-rate-too-high", True)
    blocks = script_blocks.certain(naming, None)
    told = " ".join(each.text for each in blocks if isinstance(each, Paragraph)).replace("\n", " ")
    of_it = [each for each in re.split(r"(?<=[.:;,]) ", told) if "pre-train" in each]
    assert of_it
    assert all(each.startswith("If pre-trained weights") for each in of_it)


def test_the_line_that_gave_the_number_of_classes_is_named_through_files(tmp_path: Path) -> None:
    (tmp_path / "scores.py").write_text(PARTS, "utf-8")
    found = diagnosed(tmp_path, TOO_FEW_KINDS)
    (fault,) = found["faults"]
    assert fault["fault"] == "target-out-of-bounds"
    assert fault["lines"][:2] == [10, 6]


def test_a_rate_of_the_command_line_is_blamed_and_not_its_default(tmp_path: Path) -> None:
    option = """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.002)
given = parser.parse_args()
"""
    text = script("inputs with gradients").replace("lr=0.002", "lr=given.lr")
    (tmp_path / "train.py").write_text(option + text, "utf-8")
    done = course("run", "train.py", "--json", "--", "--lr", "400", cwd=tmp_path, timeout=400)
    faults = {each["fault"]: each for each in json.loads(done.stdout)["faults"]}
    fault = faults["learning-rate-too-high"]
    assert fault["given"] == "--lr 400"
    default = (
        (option + text).splitlines().index('parser.add_argument("--lr", type=float, default=0.002)')
    )
    assert default + 1 not in fault["lines"]


def test_paths_above_the_folder_of_the_script_work_in_a_copy(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "some.txt").write_text("1 2")
    home.mkdir()
    text = """import os

for _time in range(2):
    os.makedirs("../made/here", exist_ok=True)
with open("../made/here/sum.txt", "w") as file:
    file.write(str(sum(map(int, open("../rows/some.txt").read().split()))))
print(open("../made/here/sum.txt").read())
"""
    found = diagnosed(home, text)
    assert found["faults"] == []
    assert "script-runs" in checked(found)
    assert not (tmp_path / "made").exists()


def test_what_follows_from_a_failure_stands_behind_it(tmp_path: Path) -> None:
    text = """import torch
from torch import nn

layer = nn.GRU(3, 6)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
kept = None
try:
    for _step in range(4):
        seen, kept = layer(torch.rand(4, 2, 3), kept)
        optimizer.zero_grad()
        seen.pow(2).mean().backward()
        optimizer.step()
    torch.save(layer.state_dict(), "layer.pt")
except KeyboardInterrupt:
    print("enough")
layer.load_state_dict(torch.load("layer.pt"))
"""
    found = diagnosed(tmp_path, text)
    names = [each["fault"] for each in found["faults"]]
    assert names[0] in ("state-not-detached", "backward-twice")
    assert not any(f["certain"] for f in found["faults"] if f["fault"] == "file-not-found")
    assert "script-runs" not in checked(found)
