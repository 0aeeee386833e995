"""The guide for authors tells of every figure that a fault can be known by, and of no other."""

import dataclasses
import re
from pathlib import Path

from course import paths
from course.grading.engine.run_evidence import OWN_SCRIPTS
from course.lesson import catalogue
from course.lesson.signature import SilentSignature
from course.runs.vital_signs import VitalSigns
from tests.command import ROOT
from tests.vital_figures import FIGURES, LESSON_FIGURES

GUIDE = (ROOT / "docs" / "authoring.md").read_text("utf-8")
PROBE = "".join(p.read_text("utf-8") for p in sorted(paths.probe().parent.rglob("*.py")))


def told() -> list[str]:
    table = GUIDE[GUIDE.index("| figure | what it is |") :].split("\n\n", 1)[0]
    first = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", table, re.MULTILINE)
    return re.findall(r"`(\w+)`", " ".join(first))


def test_the_figures_of_scripts_of_no_lesson_are_those_of_their_section() -> None:
    section = GUIDE.split("| *Keras 3, scripts of no lesson* | |\n", 1)[1]
    rows = section.split("| `zero_rate_steps`", 1)[0].splitlines()
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row.split(" | ")[0])}
    assert names == OWN_SCRIPTS


def test_each_figure_of_the_table_is_one_that_the_probe_measures() -> None:
    assert len(told()) == len(set(told())) > 30
    kinds = ("train", "evaluate")
    for name in told():
        kind = name.partition("_")[0]
        measured = f'"{name}"' in PROBE or (
            kind in kinds and f"{{kind}}{name[len(kind) :]}" in PROBE
        )
        assert measured, name


def test_each_figure_that_the_probe_measures_is_in_the_table() -> None:
    """What is written as the key of a figure, wherever the probe makes figures."""
    keys = set()
    for made in re.findall(r"write_figures\(\s*\{([^}]*)\}", PROBE):
        keys |= set(re.findall(r'"(\w+)":', made))
    hooks = paths.probe().parent / "hooks"
    torch = ("forward", "training_loop", "dataset_map", "distributed")
    for module in (
        *(hooks / "torch" / f"{name}.py" for name in torch),
        hooks / "evaluation/writer.py",
    ):
        source = module.read_text("utf-8")
        keys |= set(re.findall(r'"(\w+)": ', source) + re.findall(r'values\["(\w+)"\]', source))
    # Counters of theirs, and a variable of the environment's, that are no figures themselves.
    keys -= {"train", "evaluate", "accelerator", "own"}
    assert keys - set(told()) == set()


def test_each_figure_that_a_fault_is_known_by_is_in_the_table() -> None:
    for fault in catalogue.catalogue().values():
        for signature in fault.signatures:
            if isinstance(signature, SilentSignature):
                assert signature.figures <= set(told()) | FIGURES | LESSON_FIGURES, fault.id


def test_each_figure_beside_a_lesson_is_in_the_table() -> None:
    assert set(re.findall(r"^\| `(lesson\.\w+)` \|", GUIDE, re.MULTILINE)) == LESSON_FIGURES


def test_the_guide_names_the_parts_of_the_vital_signs() -> None:
    for part in dataclasses.fields(VitalSigns):
        assert f"`{part.name}." in GUIDE


def test_the_fault_of_the_guide_is_one(tmp_path: Path) -> None:
    after = GUIDE[GUIDE.index("## A new fault") :]
    crash, neighbour, silent, *_rest = re.findall(r"```toml\n(.*?)```", after, re.S)
    entry = tmp_path / "labels-as-numbers.toml"
    entry.write_text(crash + neighbour + silent, "utf-8")
    fault = catalogue.read(entry)
    assert len(fault.signatures) == 2
    assert len(fault.neighbours) == 1
