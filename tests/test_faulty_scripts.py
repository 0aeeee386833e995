"""The faulty scripts of `benchmarks/diagnosis.py`: how many there are, and which lines count."""

from pathlib import Path
from types import ModuleType

import pytest

from tests.benchmark_module import of_benchmarks
from tests.command import ROOT

pytestmark = pytest.mark.live
UNSEEN = ROOT / "benchmarks" / "diagnosis" / "unseen"
edits = of_benchmarks("diagnosis.edits", "function")
each_framework = pytest.mark.parametrize("framework", ["pt", "tf"])


@each_framework
def test_every_bug_and_every_variant_fits_a_script(edits: ModuleType, framework: str) -> None:
    names = edits.scripts(framework, "all")
    used = [case.bugs[0] for name in names for case in edits.singles(framework, name)]
    assert {id(bug) for bug in used} == {id(bug) for bug in edits.bugs(framework)}
    for variant in edits.variants(framework):
        fits = (variant.put_into(edits.healthy(framework, n)) for n in names if variant.fits(n))
        assert any(fits), variant.name


@pytest.mark.parametrize("folder", sorted(UNSEEN.iterdir()), ids=lambda path: path.name)
def test_every_bug_of_the_scripts_that_nobody_had_seen_fits_one(
    edits: ModuleType, folder: Path
) -> None:
    framework = "tf" if folder.name == "keras" else "pt"
    edits.use(framework, folder)
    names = edits.scripts(framework, "all")
    used = [case.bugs[0] for name in names for case in edits.singles(framework, name)]
    assert {id(bug) for bug in used} == {id(bug) for bug in edits.bugs(framework)}


@pytest.mark.parametrize(
    ("framework", "scripts", "singles", "several"), [("pt", 16, 200, 150), ("tf", 7, 150, 80)]
)
def test_there_are_as_many_as_the_benchmark_is_to_have(
    edits: ModuleType, framework: str, scripts: int, singles: int, several: int
) -> None:
    names = edits.scripts(framework, "all")
    develop, report = (edits.scripts(framework, half) for half in ("develop", "report"))
    assert len(names) >= scripts
    assert {*develop} == {*edits.DEVELOP[framework]}
    assert not {*develop} & {*report}
    assert sum(1 for name in names for _case in edits.singles(framework, name)) >= singles
    assert sum(1 for name in names for _case in edits.several(framework, name, 1)) >= several


@each_framework
def test_the_steps_of_a_first_epoch_are_counted_of_every_script_that_has_one(
    edits: ModuleType,
    framework: str,
) -> None:
    for name in edits.scripts(framework, "all"):
        case = edits.Case(framework, name, (), edits.healthy(framework, name))
        assert (case.first_epoch or 0) > 1 or name == "gan"


@each_framework
def test_cases_of_several_bugs_are_drawn_by_their_seed_and_keep_their_bugs_apart(
    edits: ModuleType,
    framework: str,
) -> None:
    for name in edits.scripts(framework, "all"):
        cases = list(edits.several(framework, name, 1))
        assert [c.id for c in cases] == [c.id for c in edits.several(framework, name, 1)]
        for case in cases:
            assert 2 <= len(case.bugs) <= 4
            assert len(set().union(*(bug.faults for bug in case.bugs))) == sum(
                len(bug.faults) for bug in case.bugs
            )


def test_lines_to_mend_are_those_changed_and_those_around_what_is_gone(
    edits: ModuleType,
) -> None:
    cases = {case.bugs[0].name: case for case in edits.singles("pt", "table")}
    text = cases["misspelt-backward"].text.splitlines()
    (line,) = cases["misspelt-backward"].lines(cases["misspelt-backward"].bugs[0])
    assert "backwards()" in text[line - 1]
    gone = cases["no-step"]
    lines = gone.lines(gone.bugs[0])
    assert any("loss.backward()" in gone.text.splitlines()[line - 1] for line in lines)


@each_framework
def test_each_script_has_a_seed_that_can_be_changed(edits: ModuleType, framework: str) -> None:
    for name in edits.scripts(framework, "all"):
        assert "SEED = 7\n" in edits.seeded(edits.healthy(framework, name), 7)
