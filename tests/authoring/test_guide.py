"""The guide for authors, and the page of facts, rules and figures that is made beside it."""

import importlib.util
import re
import tomllib
from pathlib import Path

from course.base import paths
from course.grading.engine.run_evidence import of_own_scripts
from course.lesson import catalogue
from course.lesson.signature import SilentSignature
from tests.command import ROOT
from tests.lesson.signatures import of_kind
from tests.vital_figures import FIGURES, LESSON_FIGURES

GUIDE = (ROOT / "docs" / "authoring.md").read_text("utf-8")
PROBE = "".join(p.read_text("utf-8") for p in sorted(paths.probe().parent.rglob("*.py")))
GROUPS = tomllib.loads((paths.lessons() / "figures.toml").read_text("utf-8"))["group"]


def told() -> list[str]:
    """Every figure of `lessons/figures.toml` that the probe measures."""
    names = (name for group in GROUPS for each in group["figures"] for name in each["names"])
    return [name for name in names if "." not in name]


def test_the_page_of_facts_is_what_the_code_makes() -> None:
    spec = importlib.util.spec_from_file_location("facts_page", ROOT / "docs" / "facts.py")
    assert spec is not None
    assert spec.loader is not None
    facts = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(facts)
    assert facts.PAGE.read_text("utf-8") == facts.page(), "python docs/facts.py"


def test_the_guide_is_short() -> None:
    assert len(GUIDE.split()) <= 2500


def test_each_figure_of_the_table_is_one_that_the_probe_measures() -> None:
    assert len(told()) == len(set(told())) > 10
    assert of_own_scripts() < set(told())
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
    for fault, signature in of_kind(SilentSignature):
        assert signature.figures <= set(told()) | FIGURES | LESSON_FIGURES, fault.id


def test_each_figure_beside_a_lesson_is_in_the_table() -> None:
    names = {name for group in GROUPS for each in group["figures"] for name in each["names"]}
    assert {name for name in names if name.startswith("lesson.")} == LESSON_FIGURES


def test_the_faults_of_the_guide_are_some(tmp_path: Path) -> None:
    after = GUIDE[GUIDE.index("## A new fault") :]
    blocks = re.findall(r"^ *```toml\n(.*?)```", after, re.S | re.M)
    crash, neighbour, by_rule, by_figures, *_rest = blocks
    entry = tmp_path / "labels-as-numbers.toml"
    entry.write_text(crash + neighbour + by_rule + by_figures, "utf-8")
    fault = catalogue.read(entry)
    assert len(fault.signatures) == 3
    assert len(fault.neighbours) == 1
