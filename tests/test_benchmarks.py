"""`docs/benchmarks.md` is what `benchmarks/results/` makes, and the README's figures are of it."""

from collections import Counter
from types import ModuleType
from typing import Any

import pytest

from tests.benchmark_module import of_benchmarks
from tests.command import ROOT

KEYS = {"what", "values", "date", "machine"}
MORE = {"asked", "command", "old_probe", "aim", "reached", "readme", "at", "by"}


page = of_benchmarks("page")


@pytest.fixture(scope="module")
def results(page: ModuleType) -> list[dict[str, Any]]:
    return [each for of_file in page.read().values() for each in of_file]


def test_the_page_is_what_the_results_make(page: ModuleType) -> None:
    made = page.page(page.read())
    assert page.PAGE.read_text("utf-8") == made, "python benchmarks/page.py"
    assert len(page.HEAD.split()) <= 400


def test_every_file_of_results_is_a_section(page: ModuleType) -> None:
    files = {path.stem for path in (ROOT / "benchmarks" / "results").glob("*.toml")}
    assert files == set(page.SECTIONS)


def test_each_result_says_where_it_is_from(results: list[dict[str, Any]]) -> None:
    for each in results:
        assert KEYS <= set(each) <= KEYS | MORE, each["what"]
        assert ("at" in each) != ("by" in each), each["what"]
        assert ("aim" in each) == ("reached" in each), each["what"]


def test_a_set_is_first_asked_once(page: ModuleType) -> None:
    for of_file in page.read().values():
        asked = Counter((each["what"], each.get("asked")) for each in of_file)
        assert max(asked.values()) == 1
        assert {when for _what, when in asked} <= {None, "first", "known"}


def test_the_figures_of_the_readme_are_results(results: list[dict[str, Any]]) -> None:
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    told = [each["readme"] for each in results if "readme" in each]
    assert told
    assert [phrase for phrase in told if phrase not in readme] == []
