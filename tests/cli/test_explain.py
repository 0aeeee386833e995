"""`course explain`: every fault as a page, in every language, at every width."""

import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from rich.cells import cell_len

from course.base import i18n, paths
from course.base.errors import ContentError
from course.judge import quoted
from course.judge.tracebacks.read import read
from course.lesson import catalogue, lesson
from course.render import explain
from course.render.blocks import Output, StoryBlock
from tests.command import course
from tests.render import terminals

FAULTS = catalogue.catalogue()


def drawn(blocks: Iterable[StoryBlock], width: int) -> str:
    """Draw blocks as a terminal of this width shows them, without its colours."""
    return terminals.drawn(blocks, width, force_terminal=True, color_system=None)


SCREENS = [(language, width) for language in ("en", "zh", "ru") for width in (60, 80, 120)]


@pytest.mark.live
@pytest.mark.parametrize(("language", "width"), SCREENS)
def test_every_page_and_the_list_fit_the_terminal(language: str, width: int) -> None:
    i18n.activate(language)
    shown = {"list": drawn(explain.contents(), width)}
    shown |= {name: drawn(explain.page(fault), width) for name, fault in FAULTS.items()}
    for name, text in shown.items():
        for line in text.splitlines():
            # A command is one line, to be copied as one.
            alone = re.fullmatch(r" *course (?:start|run|memory) .*|\W*\S+", line)
            assert cell_len(line.rstrip()) <= width or alone, (name, line)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_page_has_all_that_the_catalogue_knows(fault: catalogue.Fault) -> None:
    page = " ".join(drawn(explain.page(fault), 1000).split())
    assert f"({fault.id})" in page.replace("`", "")
    for text in (fault.title, *fault.means.split("\n\n"), fault.where, *fault.fix.split("\n\n")):
        assert " ".join(text.split()).replace("`", "") in page.replace("`", "")
    for each in explain.practices(fault.id):
        assert each.command in page
    for name in catalogue.neighbours(fault.id):
        assert f"({name})" in page.replace("`", "")


def test_a_page_has_the_words_of_the_course_and_those_of_today() -> None:
    page = drawn(explain.page(FAULTS["size-1-array"]), 200)
    course_words, later = page.index("only size-1 arrays"), page.index("only length-1 arrays")
    assert page.index("The course prints:") < course_words < later
    assert "Seen with numpy 1.25–2.3." in page
    silent = " ".join(drawn(explain.page(FAULTS["data-not-shuffled"]), 1000).split())
    assert "This fault becomes visible in line …." in silent
    assert "{" not in silent


RELEASES = {
    "scikit-learn 1.9, reports": "`scikit-learn 1.9`",
    "flash-attn 2.5 on a T4": "`flash-attn 2.5`",
    "keras 3 and 2; torch 1 to 2.4": "`keras 3`, `keras 2`, `torch 1–2.4`",
    "torch 2, some/r1-zero issue 620 on GitHub": "`torch 2`",
    "datasets 4, some/thing issues 7232 and 17089 on GitHub": "`datasets 4`",
    "tensorflow 2.2 with a file of 2.3": "`tensorflow 2.2`",
    "lightning 1.9 with torch before 2.6": "`lightning 1.9`",
    "tf_keras 2.21 with a rate of 1000, tf_keras 2.21": "`tf_keras 2.21`",
    "the embedded hub": "",
}


@pytest.mark.parametrize("seen", RELEASES)
def test_releases_are_libraries_with_their_versions(seen: str) -> None:
    assert explain.releases(seen) == RELEASES[seen]


def test_each_release_of_the_catalogue_is_one_of_a_library() -> None:
    seen = "; ".join(each.seen for fault in FAULTS.values() for each in fault.signatures)
    shown = re.findall(r"`([^`]*)`", explain.releases(seen))
    assert all(re.fullmatch(r"[\w-]+ \d[\d.]*(?:–\d[\d.]*)?", each) for each in shown)
    libraries = {each.split()[0] for each in shown}
    assert {"scikit-learn", "flash-attn", "pytorch-lightning", "Python"} <= libraries
    # One library has one name; no word of a sentence is one.
    assert len({each.lower().replace("-", "_") for each in libraries}) == len(libraries)
    assert libraries.isdisjoint({"PyTorch", "and", "of", "to", "with", "issue", "issues", "learn"})


def test_libraries_are_put_in_a_row_as_the_language_does() -> None:
    i18n.activate("zh")
    assert explain.releases("torch 1 and 2, numpy 2") == "`torch 1`、`torch 2`、`numpy 2`"


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_page_shows_a_message_once(fault: catalogue.Fault) -> None:
    shown = [str(block.text) for block in explain.page(fault) if isinstance(block, Output)]
    assert len(shown) == len(set(shown))


def test_findings_that_begin_alike_and_measure_one_thing_are_told_once() -> None:
    page = " ".join(drawn(explain.page(FAULTS["learning-rate-too-high"]), 1000).split())
    assert page.count("The model does not learn: the loss is … at the end, and random guess") == 1
    # Two ways in which one rule is broken.
    page = " ".join(drawn(explain.page(FAULTS["schedule-out-of-step"]), 1000).split())
    assert page.count("After … optimizer steps, the schedule is at its step …") == 1


def test_neighbours_are_seen_from_both_sides_and_name_both() -> None:
    told = [(fault.id, each) for fault in FAULTS.values() for each in fault.neighbours]
    assert len({frozenset((name, each.fault)) for name, each in told}) == len(told)
    assert len({name for name, _each in told}) >= 15
    for name, each in told:
        assert each.fault != name
        if each.apart:
            assert f"`{name}`" in each.apart
            assert f"`{each.fault}`" in each.apart
        assert catalogue.neighbours(each.fault)[name] == each.apart
        assert catalogue.neighbours(name)[each.fault] == each.apart


def test_a_neighbour_that_there_is_not_is_told_to_its_author(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "faults"
    folder.mkdir()
    for name in ("cublas", "target-out-of-bounds", "gpu-memory-held"):
        text = (paths.lessons() / "faults" / f"{name}.toml").read_text("utf-8")
        (folder / f"{name}.toml").write_text(text.replace('"target-out', '"targets-out'), "utf-8")
    text = (folder / "target-out-of-bounds.toml").read_text("utf-8")
    (folder / "target-out-of-bounds.toml").write_text(text.replace('"targets-out', '"target-out'))
    monkeypatch.setattr(paths, "lessons", lambda: tmp_path)
    with pytest.raises(ContentError) as raised:
        catalogue.catalogue.__wrapped__()
    assert "`[[neighbour]]` 1: There is no fault `targets-out-of-bounds`." in str(raised.value)
    assert "Did you mean `target-out-of-bounds`?" in str(raised.value)


def test_each_command_to_practise_is_a_bug_or_a_step_that_there_is() -> None:
    practised = set()
    for name in FAULTS:
        for each in explain.practices(name):
            part = lesson.load(each.lesson).parts[each.framework]
            if each.step is None:
                assert part.bug_of(name) is not None
            else:
                assert each.step in {step.id for step in part.steps}
            practised.add(name)
    bugs = {b.fault for n in lesson.ids() for p in lesson.load(n).parts.values() for b in p.known}
    assert bugs <= practised


def test_the_list_has_each_fault_once_below_its_stage() -> None:
    found, stage = {}, ""
    for line in drawn(explain.contents(), 160).splitlines():
        word = next(iter(line[3:].split(" ")), "")
        if word in catalogue.STAGES:
            stage = word
        elif word:
            assert word not in found
            found[word] = stage
    assert found == {fault.id: fault.stage for fault in FAULTS.values()}


@pytest.mark.live
def test_as_data_one_fault_or_all() -> None:
    one = json.loads(course("explain", "nan-loss", "--json", "--lang", "zh").stdout)
    assert one["lang"] == "zh"
    (fault,) = one["faults"]
    assert fault["fault"] == "nan-loss"
    assert "损失" in fault["title"]
    assert {"lesson": "ch8-4", "framework": "tf"}.items() <= fault["practices"][0].items()
    every = json.loads(course("explain", "--json").stdout)
    assert [each["fault"] for each in every["faults"]] == list(FAULTS)
    kinds = {
        signature["exception"] is None for f in every["faults"] for signature in f["signatures"]
    }
    assert kinds == {True, False}


ERROR = """Traceback (most recent call last):
  File "train.py", line 12, in <module>
    loss = criterion(outputs, labels)
  File "/opt/lib/python3.11/site-packages/torch/nn/functional.py", line 3104, in cross_entropy
    return torch._C._nn.cross_entropy_loss(input, target)
IndexError: Target 3 is out of bounds.
"""


def piped(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `course explain - ARGUMENTS` on a text that comes through a pipe."""
    return course("explain", "-", *arguments, said=text)


def test_an_error_in_a_file_or_a_pipe_as_data(tmp_path: Path) -> None:
    (tmp_path / "error.txt").write_text(ERROR, "utf-8")
    done = course("explain", str(tmp_path / "error.txt"), "--json")
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert told["exception"] == "IndexError"
    assert told["message"] == "Target 3 is out of bounds."
    assert told["frame"] == {
        "file": "train.py",
        "line": 12,
        "text": "loss = criterion(outputs, labels)",
    }
    assert told["faults"][0]["fault"] == "target-out-of-bounds"
    assert told["faults"][0]["certain"] is told["faults"][0]["cause"] is True
    assert piped(ERROR, "--json").stdout == done.stdout


def test_an_error_in_the_place_of_a_file() -> None:
    done = course("explain", "IndexError: Target 3 is out of bounds.", "--json")
    assert json.loads(done.stdout)["faults"][0]["fault"] == "target-out-of-bounds"


def test_an_error_for_people_and_the_two_other_ends() -> None:
    done = piped(ERROR)
    assert done.returncode == 0
    for words in ("Target 3 is out of bounds.", "line 12 of `train.py`", "How to fix it"):
        assert words in done.stdout
    assert "This is what happened." not in done.stdout
    unknown = piped("FrobnicationError: the frob")
    assert (unknown.returncode, unknown.stderr) == (1, "")
    assert "does not know this error" in unknown.stdout
    none = piped("step 1\nstep 2\n")
    assert (none.returncode, none.stdout) == (2, "")
    assert none.stderr.startswith("Error: There is no error in this text")


def test_what_happened_is_told_from_its_cause() -> None:
    told = json.loads(piped("KeyError: 'hypothesis'", "--json").stdout)
    (fault,) = told["faults"]
    assert (fault["fault"], fault["certain"], fault["cause"]) == ("key-not-found", True, False)
    shown = piped("KeyError: 'hypothesis'").stdout
    assert "This is what happened." in shown
    assert "How to find the cause" in shown


def test_where_nothing_was_raised_a_run_is_advised() -> None:
    done = piped("my training loss is nan since step 400", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["silent"], told["exception"]) == (0, True, None)
    assert told["advice"] == "course diagnose SCRIPT"
    asked = piped("Why does the model never predict class 2?")
    assert asked.returncode == 1
    assert "`course diagnose SCRIPT`" in asked.stdout
    assert "The catalogue does not know" not in asked.stdout
    known = piped("Detected call of `lr_scheduler.step()` before `optimizer.step()`.").stdout
    assert "The optimizer must update the weights first" in known


def test_of_two_tracebacks_both_are_told() -> None:
    other = ERROR.replace("IndexError: Target 3 is out of bounds.", "KeyError: 'labels'")
    done = piped(f"{other}\n\n{ERROR}", "--json")
    assert json.loads(done.stdout)["others"] == ["KeyError: 'labels'"]
    shown = piped(f"{other}\n\n{ERROR}").stdout
    assert "The text has 1 more error, with its own traceback." in " ".join(shown.split())
    assert shown.index("Target 3") < shown.index("KeyError: 'labels'")


def test_a_name_that_is_a_file_and_a_fault(tmp_path: Path) -> None:
    (tmp_path / "cublas").write_text(ERROR, "utf-8")
    both = course("explain", "cublas", cwd=tmp_path)
    assert "(`cublas`)" in both.stdout
    assert "`course explain ./cublas`" in both.stderr
    assert "Target 3" in course("explain", "./cublas", cwd=tmp_path).stdout


@pytest.mark.parametrize("language", ["en", "zh", "ru"])
@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(
    "words", [ERROR, "IndexError: index out of range in self", "FooError: " + "unknown " * 40]
)
def test_what_an_error_means_fits_the_terminal(language: str, width: int, words: str) -> None:
    i18n.activate(language)
    explained = quoted.judge(read(words))
    assert explained is not None
    for line in drawn(explain.quoted(explained), width).splitlines():
        alone = re.fullmatch(r" *course explain .*|\W*\S+", line)
        assert cell_len(line.rstrip()) <= width or alone, line
