"""The faulty scripts of `benchmarks/diagnosis.py`: how many there are, and which lines count."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.live
BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield
    for name in [n for n in sys.modules if n == "diagnosis" or n.startswith("diagnosis.")]:
        del sys.modules[name]


@pytest.mark.parametrize("framework", ["pt", "tf"])
def test_every_bug_and_every_variant_fits_a_script(framework: str) -> None:
    from diagnosis import edits

    names = edits.scripts(framework, "all")
    used = [case.bugs[0] for name in names for case in edits.singles(framework, name)]
    assert {id(bug) for bug in used} == {id(bug) for bug in edits.bugs(framework)}
    for variant in edits.variants(framework):
        fits = (variant.put_into(edits.healthy(framework, n)) for n in names if variant.fits(n))
        assert any(fits), variant.name


@pytest.mark.parametrize(
    "folder", sorted((BENCHMARKS / "diagnosis" / "unseen").iterdir()), ids=lambda path: path.name
)
def test_every_bug_of_the_scripts_that_nobody_had_seen_fits_one(folder: Path) -> None:
    from diagnosis import edits

    framework = "tf" if folder.name == "keras" else "pt"
    edits.use(framework, folder)
    names = edits.scripts(framework, "all")
    used = [case.bugs[0] for name in names for case in edits.singles(framework, name)]
    assert {id(bug) for bug in used} == {id(bug) for bug in edits.bugs(framework)}


@pytest.mark.parametrize(
    ("framework", "scripts", "singles", "several"), [("pt", 16, 200, 150), ("tf", 7, 150, 80)]
)
def test_there_are_as_many_as_the_benchmark_is_to_have(
    framework: str, scripts: int, singles: int, several: int
) -> None:
    from diagnosis import edits

    names = edits.scripts(framework, "all")
    develop, report = (edits.scripts(framework, half) for half in ("develop", "report"))
    assert len(names) >= scripts
    assert {*develop} == {*edits.DEVELOP[framework]}
    assert not {*develop} & {*report}
    assert sum(1 for name in names for _case in edits.singles(framework, name)) >= singles
    assert sum(1 for name in names for _case in edits.several(framework, name, 1)) >= several


@pytest.mark.parametrize("framework", ["pt", "tf"])
def test_the_steps_of_a_first_epoch_are_counted_of_every_script_that_has_one(
    framework: str,
) -> None:
    from diagnosis import edits

    for name in edits.scripts(framework, "all"):
        case = edits.Case(framework, name, (), edits.healthy(framework, name))
        assert (case.first_epoch or 0) > 1 or name == "gan"


@pytest.mark.parametrize("framework", ["pt", "tf"])
def test_cases_of_several_bugs_are_drawn_by_their_seed_and_keep_their_bugs_apart(
    framework: str,
) -> None:
    from diagnosis import edits

    for name in edits.scripts(framework, "all"):
        cases = list(edits.several(framework, name, 1))
        assert [c.id for c in cases] == [c.id for c in edits.several(framework, name, 1)]
        for case in cases:
            assert 2 <= len(case.bugs) <= 4
            assert len(set().union(*(bug.faults for bug in case.bugs))) == sum(
                len(bug.faults) for bug in case.bugs
            )


def test_lines_to_mend_are_those_changed_and_those_around_what_is_gone() -> None:
    from diagnosis import edits

    cases = {case.bugs[0].name: case for case in edits.singles("pt", "table")}
    text = cases["misspelt-backward"].text.splitlines()
    (line,) = cases["misspelt-backward"].lines(cases["misspelt-backward"].bugs[0])
    assert "backwards()" in text[line - 1]
    gone = cases["no-step"]
    lines = gone.lines(gone.bugs[0])
    assert any("loss.backward()" in gone.text.splitlines()[line - 1] for line in lines)


@pytest.mark.parametrize("framework", ["pt", "tf"])
def test_each_script_has_a_seed_that_can_be_changed(framework: str) -> None:
    from diagnosis import edits

    for name in edits.scripts(framework, "all"):
        assert "SEED = 7\n" in edits.seeded(edits.healthy(framework, name), 7)
