"""The corpus of attacks, and of honest work, graded in the real sandbox in one go."""

import contextlib
import json
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.attacks import catalogue
from tests.attacks.catalogue import Attack, Honest
from tests.attacks.harm import Watch, listening
from tests.command import CLEAN
from tests.live.classes import grade_class, make_class
from tests.tiers import sample, selected

ATTACKS, HONEST = catalogue.attacks(), catalogue.honest()
PLAINEST = frozenset(
    {"stdout-verdict", "looks-stopped", "train-does-nothing", "sys-exit-zero", "double-fork"}
    | {"alarm-off", "endless-stdout", "symlink", "pickles-left", "results-files", "tcp"}
    | {"walks-for-answers", "every-descriptor", "fork-bomb", "memory-at-once", "try-except"}
    | {"dataset-for-a-while", "encoded-exec", "nan-weights", "fills-every-folder", "utf-7"}
    | {"writes-outside", "poisoned-library"}
)
"""An attack of each kind, of the live tier, as is each twenty-fourth honest submission."""
RUBRIC = """
format = 1
epochs = 0.15  # the checkpoint learns quickly

[limits]
seconds = 20  # of the processor: a busy machine is no fault of theirs
"""


@pytest.fixture(scope="module")
def graded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Watch, dict[str, Any]]]:
    """Everything handed in, graded at once; what stands outside stands until all have looked."""
    attacks: list[Attack] = selected(request, "attack")
    honest_ones: list[Honest] = selected(request, "honest")
    place = tmp_path_factory.mktemp("attacks")
    outside, submissions = place / "outside", place / "submissions"
    outside.mkdir()
    submissions.mkdir()
    (place / "rubric.toml").write_text(RUBRIC)
    make_class(place, "ch8-4", [(each.id, each.id, "en") for each in (*attacks, *honest_ones)])
    for attack in attacks:
        attack.hand_in(submissions, outside)
    for honest in honest_ones:
        honest.hand_in(submissions)
    with contextlib.ExitStack() as held:
        beside = held.enter_context(subprocess.Popen(["sleep", "14400"]))
        held.callback(beside.kill)
        places = {
            "$SUBMISSIONS": str(submissions),
            "$OUTSIDE": str(outside),
            "$HOME": str(Path.home()),
            "$SITE": sysconfig.get_path("purelib"),
            "$HUB": str(next(Path(CLEAN["COURSE_CACHE"]).glob("hub-pt-*"), place / "none")),
        }
        watch = Watch(places, place / "gradebook.db", beside=beside)
        ports = sorted({port for attack in attacks for port in attack.harms.ports})
        held.enter_context(listening(ports, watch.arrived))
        yield watch, grade_class(place, "--rubric", str(place / "rubric.toml"))


def test_the_live_tier_has_an_attack_of_each_kind() -> None:
    chosen = [attack.kind for attack in ATTACKS if attack.id in PLAINEST]
    assert sorted(chosen) == sorted({attack.kind for attack in ATTACKS})


def test_nobody_is_left_out(
    request: pytest.FixtureRequest, graded: tuple[Watch, dict[str, Any]]
) -> None:
    _watch, found = graded
    handed_in = [*selected(request, "attack"), *selected(request, "honest")]
    # An archive that holds no exercise at all counts as nothing handed in; the teacher is told.
    nothing = {each.id for each in handed_in if each.status == ("refused",)}
    assert {each.id for each in handed_in} - set(found) <= nothing


@pytest.mark.parametrize(
    "attack",
    sample(ATTACKS, lambda _n, each: each.id in PLAINEST),
    ids=lambda a: f"{a.kind}-{a.id}",
)
def test_an_attack_gains_nothing_and_harms_nobody(
    graded: tuple[Watch, dict[str, Any]], attack: Attack
) -> None:
    watch, found = graded
    if attack.id not in found:
        assert watch.found(attack, "") == []
        return
    grade = found[attack.id]
    told = json.dumps(grade, indent=1, ensure_ascii=False)
    assert (grade["score"] or 0) <= attack.max_score, told
    assert {b["fault"] for b in grade["bugs"] if b["gone"]} <= set(attack.fixed), told
    assert grade["status"] in attack.status, told
    assert set(attack.named) <= {note["note"] for note in grade["notes"]}, told
    assert watch.found(attack, told) == []


@pytest.mark.parametrize("honest", sample(HONEST, lambda n, _each: n % 24 == 0), ids=lambda h: h.id)
def test_honest_work_gets_its_marks(graded: tuple[Watch, dict[str, Any]], honest: Honest) -> None:
    _watch, found = graded
    grade = found[honest.id]
    told = json.dumps(grade, indent=1, ensure_ascii=False)
    assert honest.least <= grade["score"] <= honest.score, told
    assert grade["status"] in honest.status, told
    assert set(honest.named) <= {note["note"] for note in grade["notes"]}, told
    own = {str(value) for each in grade["new_faults"] for value in each.values()}
    assert set(honest.new_faults) <= own, told
