"""A kernel's session: what it hears, when it speaks, and what it says."""

import contextlib
import html
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from course.base import i18n
from course.base.errors import UserError
from course.exercise import guess, walk_progress
from course.exercise.hint import MENDED
from course.lesson import aside, lesson
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Look, Part
from course.notebook.kernel import magics
from course.notebook.kernel.cell_looks import CellLooks
from course.notebook.kernel.extension import Extension
from course.notebook.kernel.messages import Message
from course.notebook.kernel.session import NotebookExercise, NotebookSession
from course.render import lesson_blocks
from tests.vital_signs import vitals

LESSON = "ch8-4"
PARTS = list(lesson.load(LESSON).parts.values())
EVERY = [part for name in lesson.ids() for part in lesson.load(name).parts.values()]
FOLD = "Which fault it is"


class FakeListener:
    """Stands for the probe: tells of an error what a test wants it to."""

    def __init__(self, to: NotebookSession) -> None:
        self.to, self.taken = to, list[str]()

    def begin_cell(self, text: str) -> range:
        return range(0)

    def begin_anew(self) -> None:
        pass

    def enter_lesson(self) -> None:
        pass

    def end_cell(self, error: BaseException | None) -> None:
        pass

    def versions(self) -> dict[str, str]:
        return {"python": "3.11"}

    def report_exception(self, error: BaseException) -> None:
        frames = [
            {
                "module": "transformers.models",
                "file": "lib.py",
                "function": "f",
                "line": 1,
                "text": "raise",
            }
        ]
        mro = [f"{c.__module__}.{c.__qualname__}" for c in type(error).__mro__]
        plain = {"type": mro[0], "mro": mro, "message": str(error), "frames": frames}
        self.to.hear({"event": "exception", "owner": None, "device": None, **plain})

    def look(self, code: str, namespace: dict[str, Any]) -> dict[str, Any]:
        self.taken.append(code)
        namespace["left"] = True
        return {"output": "42", "error": None, "seconds": 0.0}


@pytest.fixture
def pages() -> Iterator[list[Message]]:
    yield []
    i18n.activate(i18n.SOURCE)


def begun(pages: list[Message], part: Part | None) -> tuple[NotebookSession, FakeListener]:
    found = NotebookSession({}, pages.append, contextlib.nullcontext)
    listener = FakeListener(found)
    found.listener = listener  # type: ignore[assignment]
    found.exercise = NotebookExercise(part, part.bugs) if part else None
    return found, listener


def the_first_fault(part: Part) -> BaseException:
    """The first error that the lesson is about, in the words of a library."""
    from course.lesson.signature import Signature

    fault = catalogue()[part.steps[0].fault or ""]
    signature = next(s for s in fault.signatures if isinstance(s, Signature))
    kind = {"builtins.ValueError": ValueError, "builtins.TypeError": TypeError}
    return kind[signature.exception](signature.example)


def fail(found: NotebookSession, part: Part) -> None:
    """Run a cell that ends with the first fault of the lesson."""
    found.begin("a", "train()")
    found.end(the_first_fault(part))


def asked(found: NotebookSession, line: str) -> list[str]:
    cells: list[str] = []
    found.begin("x", f"%course {line}")
    magics.run(line, found, cells.append)
    found.end(None)
    return cells


@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.framework)
def test_a_failing_cell_asks_first_and_tells_the_fault_in_a_fold(
    part: Part, pages: list[Message]
) -> None:
    found, listener = begun(pages, part)
    fail(found, part)
    assert len(pages) == 1
    step = part.steps[0]
    fault = catalogue()[step.fault or ""]
    looks = part.looks_at(step.id)
    captions = [f"{n}. {look.caption}" for n, look in enumerate(looks, start=1)]
    told = ["The run stops with", step.question, *captions, "Guess first", FOLD, fault.where]
    places = [pages[0].plain.index(each) for each in told]
    assert places == sorted(places)
    neutral, _fold, answer = pages[0].html.partition("<details")
    assert f"{fault.id}</code>" in answer
    assert fault.id not in neutral
    assert answer.rstrip().endswith("</details></div>")
    assert listener.taken == []


@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.framework)
def test_a_guess_is_answered_by_what_tells_the_two_apart_and_the_first_is_counted(
    part: Part, pages: list[Message], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    found, _listener = begun(pages, part)
    with pytest.raises(UserError, match="nothing to show yet"):
        asked(found, "guess 1")
    fail(found, part)
    choice = guess.choice(catalogue()[part.steps[0].fault or ""])
    assert choice is not None
    for number, offered in enumerate(choice.offered, start=1):
        asked(found, f"guess {number}")
        answer = lesson_blocks.RIGHT if offered is choice.fault else choice.apart(offered)
        assert answer.replace("`", "") in pages[-1].plain.replace("`", "")
    for word in ("", "0", "9", "x"):
        with pytest.raises(UserError, match="from 1 to"):
            asked(found, f"guess {word}")
    known = walk_progress.of(part)
    assert (known.guesses, known.right) == (1, choice.offered[0] is choice.fault)


@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.framework)
def test_looks_are_taken_one_after_the_other_and_leave_nothing_behind(
    part: Part, pages: list[Message]
) -> None:
    found, listener = begun(pages, part)
    with pytest.raises(UserError, match="nothing to show yet"):
        asked(found, "look")
    fail(found, part)
    looks = part.looks_at(part.steps[0].id)
    for look in looks:
        assert asked(found, "look") == []
        assert look.caption in pages[-1].plain
        assert "    42" in pages[-1].plain
    assert listener.taken == [look.code for look in looks]
    assert ("This was the last inspection here" in pages[-1].plain) is True
    assert "This was the last inspection here" not in pages[-2].plain
    asked(found, "look")
    assert looks[0].caption in pages[-1].plain
    assert found.namespace == {}
    for wrong in (f"look {len(looks) + 1}", "look 0", "look len(raw)"):
        with pytest.raises(UserError, match=f"1 to {len(looks)}"):
            asked(found, wrong)


def test_a_look_has_the_names_of_those_before_it_and_new_ones_of_the_cells() -> None:
    codes = ("a = x", "b = a", "a + b")
    looks = tuple(Look(frozenset(), code, "") for code in codes)
    taken: list[tuple[str, dict[str, Any]]] = []

    def take(code: str, names: dict[str, Any]) -> Any:
        exec(code, {}, names)
        taken.append((code, dict(names)))
        return {"output": "", "error": None, "seconds": 0.0}

    cells = CellLooks(looks, take)
    mine = {"x": 1}
    cells.take(3, mine)
    assert [code for code, _names in taken] == [*codes]
    cells.take(2, mine)
    assert len(taken) == 4
    mine["x"] = 2
    cells.forget()
    cells.take(2, mine)
    assert taken[-1][1]["b"] == 2
    assert mine == {"x": 2}


@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.framework)
def test_a_fault_that_was_named_in_any_notebook_has_hints(part: Part, pages: list[Message]) -> None:
    found, _listener = begun(pages, None)
    with pytest.raises(UserError, match="nothing to show yet"):
        asked(found, "hint")
    fail(found, part)
    assert f"`{part.steps[0].fault}`" in pages[0].plain
    for number in (1, 2, 3, 3):
        asked(found, "hint")
        assert f"Hint {number} of 3" in pages[-1].plain
    found.begin("b", "other()")
    found.end(KeyError("x"))
    with pytest.raises(UserError, match="nothing to show yet"):
        asked(found, "hint")


def test_a_look_that_changes_something_goes_into_a_cell_and_is_not_taken(
    pages: list[Message],
) -> None:
    part = next(p for p in PARTS if any(look.changes for look in p.looks))
    step = next(iter(next(look for look in part.looks if look.changes).steps))
    found, listener = begun(pages, part)
    looks = part.looks_at(step)
    found.looks = CellLooks(looks, listener.look)  # type: ignore[arg-type]
    cells = [asked(found, "look") for _look in looks]
    assert [look.changes for look in looks] == [bool(cell) for cell in cells]
    first = next(n for n, look in enumerate(looks) if look.changes)
    assert cells[first] == ["\n\n".join(look.code for look in looks[: first + 1])]
    assert looks[first].caption in pages[first].plain
    assert set(listener.taken) == {look.code for look in looks if not look.changes}


def test_an_error_of_the_learners_own_says_it_all_itself(pages: list[Message]) -> None:
    for part in (None, PARTS[0]):
        found, _ears = begun(pages, part)
        found.begin("a", "x")
        found.end(NameError("name 'x' is not defined"))
        found.begin("b", "if x")
        found.end(SyntaxError("bad"))
        found.end(KeyboardInterrupt())
    assert pages == []


def test_cells_without_a_training_go_by_in_silence(pages: list[Message]) -> None:
    found, _ears = begun(pages, PARTS[0])
    found.begin("a", "x = 1")
    found.end(None)
    assert pages == []


def trained(found: NotebookSession, losses: list[tuple[int, float]], **more: Any) -> None:
    setting = {"examples": 2430, "batch_size": 16, "epochs": 3.0, "max_steps": losses[-1][0]}
    labels = {"0": 810, "1": 810, "2": 810}
    found.begin("a", "train()")
    found.hear({"event": "train", "labels": labels, "num_labels": 3, **setting, **more})
    for step, loss in losses:
        found.hear({"event": "loss", "step": step, "mean": str(loss)})


def ended(found: NotebookSession, steps: int, accuracy: float) -> None:
    found.hear({"event": "trained", "step": steps, "seconds": 2.0})
    values = {"eval_accuracy": accuracy}
    labels = {"0": 102, "1": 102, "2": 102}
    event = {"event": "evaluate", "step": steps, "values": values, "examples": 306}
    found.hear({**event, "labels": labels})
    seen = {"0": 810, "1": 810, "2": 810}
    found.hear(vitals(accuracy=accuracy, labels=labels, seen=seen, split="validation_matched"))
    found.end(None)


@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.framework)
def test_a_healthy_training_is_praised_with_its_figures(part: Part, pages: list[Message]) -> None:
    found, _ears = begun(pages, part)
    trained(found, [(5, 1.1), (10, 0.4)])
    ended(found, 10, 0.9)
    assert len(pages) == 1
    assert pages[0].good
    assert "90.0%" in pages[0].plain
    asked(found, "check")
    assert pages[1].plain == pages[0].plain
    assert asked(found, "hint") == []
    assert "the model has learned" in pages[2].plain


@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.framework)
def test_a_training_that_learned_nothing_is_told_why(part: Part, pages: list[Message]) -> None:
    found, _ears = begun(pages, part)
    trained(found, [(5, 1.1), (10, 1.09)])
    ended(found, 10, 0.34)
    assert not pages[0].good
    assert "has not learned enough" in " ".join(pages[0].plain.split())


def test_a_loss_that_is_no_number_is_told_of_at_once_and_only_once(pages: list[Message]) -> None:
    part = next(p for p in PARTS if p.bug_of("nan-loss"))
    found, _ears = begun(pages, part)
    trained(found, [(1, float("nan")), (2, float("nan")), (3, float("nan"))], num_labels=2)
    assert len(pages) == 1
    assert "`nan-loss`" in pages[0].plain
    assert "interrupt" in pages[0].plain
    ended(found, 3, 0.3)
    assert len(pages) == 1
    asked(found, "hint")
    assert "1" in pages[1].plain


def test_vital_signs_are_those_of_the_last_training(pages: list[Message]) -> None:
    found, _ears = begun(pages, None)
    with pytest.raises(UserError, match="nothing to show yet"):
        magics.run("vitals", found, print)
    trained(found, [(5, 1.1), (10, 0.4)])
    ended(found, 10, 0.9)
    found.hear({"event": "vitals", "model": {"moved": 3, "learning": 4}})
    pages.clear()
    asked(found, "vitals")
    assert re.search(r"! +changed +3 of 4 +all", pages[0].plain)
    assert "<td" in pages[0].html
    trained(found, [(5, 1.1)])
    found.end(None)
    asked(found, "vitals")
    assert "No vital signs (measured values" in pages[-1].plain


def run_cells(found: NotebookSession, text: str) -> None:
    for number, cell in enumerate(text.split("# %%\n")[1:]):
        found.begin(str(number), cell.split("# %% [markdown]")[0])
        found.end(None)


@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.framework)
def test_the_fix_comes_in_a_cell_of_its_own(part: Part, pages: list[Message]) -> None:
    found, _ears = begun(pages, part)
    run_cells(found, part.script)
    found.end(the_first_fault(part))
    (cell,) = asked(found, "fix")
    bug = part.bugs[0]
    mended = bug.take_out(part.script)
    assert cell.strip() in mended
    assert cell.strip() not in part.script
    assert any(line.startswith("    +") for line in pages[-1].plain.splitlines())


@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.framework)
def test_what_the_cells_have_already_is_not_recommended(part: Part, pages: list[Message]) -> None:
    found, _ears = begun(pages, part)
    bug = part.bugs[0]
    run_cells(found, part.text(part.bugs))
    # The cells of before the bug was mended do not count any more.
    run_cells(found, part.text(part.bugs[1:]))
    found.end(the_first_fault(part))
    assert "Run the cells after this fix again" in pages[-1].plain
    for _rung in range(3):
        asked(found, "hint")
        assert i18n._(bug.reason) not in pages[-1].plain
    assert i18n._(MENDED) in pages[-1].plain
    with pytest.raises(UserError):
        asked(found, "fix")


def test_a_bug_that_is_mended_in_one_of_its_cells_says_so(pages: list[Message]) -> None:
    part = PARTS[0]
    found, _ears = begun(pages, part)
    edit = part.bugs[0].edits[0]
    run_cells(found, part.script.replace(edit.buggy, edit.healthy))
    found.end(the_first_fault(part))
    assert "1 of its 2 places is fixed" in pages[-1].plain


def test_the_fix_of_a_cell_that_is_gone_is_shown_in_the_original(pages: list[Message]) -> None:
    part = PARTS[0]
    found, _ears = begun(pages, part)
    fail(found, part)
    assert asked(found, "fix") == []
    assert part.path.name in pages[-1].plain


@pytest.mark.parametrize("line", ["nonsense", "check", "hint", "fix", "loss", "setup --odd", '"'])
def test_what_cannot_be_done_yet_is_said(line: str, pages: list[Message]) -> None:
    found, _ears = begun(pages, None)
    with pytest.raises(UserError):
        asked(found, line)
    assert pages == []


@pytest.mark.parametrize("option", ["--seconds 0", "--seconds soon", "train.py"])
def test_a_diagnosis_says_which_of_its_words_is_wrong(option: str, pages: list[Message]) -> None:
    found, _ears = begun(pages, None)
    found.begin("a", "x = 1")
    found.end(None)
    with pytest.raises(UserError):
        asked(found, f"diagnose {option}")
    assert pages == []


def test_cells_are_diagnosed_in_the_order_of_their_last_runs_without_the_kernel(
    pages: list[Message], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "numbers.txt").write_text("1 2 3")
    found, _ears = begun(pages, None)
    read = 'numbers = open("numbers.txt").read().split()'
    cells = {"b": "print(numbers[5])", "a": f"%load_ext course\n{read}", "c": "print(numbers[5])"}
    for name, text in cells.items():
        found.begin(name, text)
        found.end(None)
    found.begin("b", "%time len(numbers)")
    found.end(None)
    asked(found, "diagnose --seconds 60")
    told = pages[-1].plain
    assert "`index-out-of-range`" in told
    assert "Cell 2, line 1" in told
    assert "IndexError: list index out of range" in told
    assert "numbers" not in found.namespace
    assert [path.name for path in tmp_path.iterdir()] == ["numbers.txt"]


def test_help_names_every_word(pages: list[Message]) -> None:
    found, _ears = begun(pages, None)
    asked(found, "")
    assert all(f"`%course {name}`" in pages[0].plain for name in magics.COMMANDS)


def test_asides_are_offered_below_the_fault_and_opened_by_a_word(pages: list[Message]) -> None:
    part = next(p for p in PARTS if aside.of_step(p, p.steps[0].id))
    found, _ears = begun(pages, part)
    with pytest.raises(UserError, match="nothing to show yet"):
        asked(found, "more")
    fail(found, part)
    beside = aside.of_step(part, part.steps[0].id)
    answer = pages[0].html.partition("<details")[2]
    assert beside.asides[0].title in answer
    assert all(html.escape(link.url) in answer for link in beside.links)
    asked(found, "more")
    opened = pages[-1].plain
    assert beside.asides[0].title in opened
    assert len(opened) > len(beside.asides[0].text)
    asked(found, f"more {part.steps[-1].id}")
    assert pages[-1].plain != opened
    with pytest.raises(UserError, match=f"no step `x`.*`{part.steps[0].id}`"):
        asked(found, "more x")


@pytest.mark.parametrize("part", EVERY, ids=lambda p: f"{p.lesson}-{p.framework}")
@pytest.mark.parametrize("named", [True, False], ids=["named cells", "unnamed cells"])
def test_the_lessons_fixes_are_shown_beside_ones_own(
    part: Part, named: bool, pages: list[Message]
) -> None:
    found, _ears = begun(pages, part)
    asked(found, "fix --mended")
    assert "No run has shown yet" in pages[-1].plain
    for left in range(len(part.bugs) + 1):
        for number, cell in enumerate(part.text(part.bugs[left:]).split("# %%\n")[1:]):
            text = cell.split("# %% [markdown]")[0]
            found.begin(str(number) if named else text, text)
    found.behind = tuple(bug.fault for bug in part.bugs)
    asked(found, "fix --mended")
    assert pages[-1].plain.count("the same change as the lesson") == len(part.bugs)
    for bug in part.bugs:
        assert catalogue()[bug.fault].title in pages[-1].plain
        assert bug.reason.split("`")[0] in pages[-1].plain


@pytest.mark.parametrize("named", [True, False], ids=["named cells", "unnamed cells"])
def test_ones_own_change_is_found_in_whatever_cell_it_was_made(
    named: bool, pages: list[Message]
) -> None:
    part = PARTS[0]
    bug = next(b for b in part.bugs if b.fault == "missing-input-ids")
    found, _ears = begun(pages, part)
    cells = part.text(part.bugs).split("# %%\n")[1:]
    for number, cell in enumerate(cells):
        found.begin(str(number), cell)
    trainer = next(n for n, cell in enumerate(cells) if "Trainer(" in cell)
    found.begin("look", "print(len(raw))")
    found.begin("look too", 'example = raw["train"][0]')
    own = cells[trainer].replace('train_dataset=raw["train"]', 'train_dataset=tokenized["train"]')
    own = own.replace('eval_dataset=raw["validation_matched"]', 'eval_dataset=mine["validation"]')
    assert own.count("tokenized") == 1
    found.begin(str(trainer) if named else "another", own)
    found.behind = (bug.fault,)
    asked(found, "fix --mended")
    mine, _heading, official = pages[-1].plain.partition("The fix")
    assert '+    eval_dataset=mine["validation"],' in mine
    assert '+    eval_dataset=tokenized["validation_matched"],' in official
    assert "example" not in mine


def test_what_the_cells_got_past_is_kept_for_this_exercise(pages: list[Message]) -> None:
    part = next(p for p in PARTS if p.bug_of("nan-loss"))
    found, _ears = begun(pages, part)
    trained(found, [(n, float("nan")) for n in (1, 2, 3)], num_labels=2)
    assert found.behind == ("no-gradients",)
    found.enter(NotebookExercise(part, part.bugs), online=False)
    assert found.behind == ("no-gradients",)
    assert found.looks is not None
    found.enter(NotebookExercise(part, part.bugs[1:]), online=False)
    assert found.behind == ()
    with pytest.raises(UserError, match="nothing to show yet"):
        asked(found, "look")


def test_a_mistake_of_ours_is_one_line_in_the_notebook_and_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(_error: object) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))
    shown: list[dict[str, str]] = []
    shell = SimpleNamespace(user_ns={}, display_pub=SimpleNamespace(publish=shown.append))
    loaded = Extension(shell)
    monkeypatch.setattr(loaded.session, "end", mistaken)
    loaded._guarded["post_run_cell"](SimpleNamespace(error_in_exec=None, error_before_exec=None))
    assert "ZeroDivisionError: ours" in shown[0]["text/plain"]
    (log,) = (tmp_path / "logs").iterdir()
    assert 'in mistaken\n    raise ZeroDivisionError("ours")' in log.read_text("utf-8")


def test_what_the_text_of_any_notebook_can_be_mended_of_is_a_new_cell(pages: list[Message]) -> None:
    found, _ears = begun(pages, None)
    found.begin("a", "x = 1")
    found.begin("b", "from transformers import AdamW")
    assert asked(found, "fix") == ["from torch.optim import AdamW"]
    assert "+from torch.optim import AdamW" in pages[-1].plain


def test_a_fault_or_an_error_is_explained_in_any_notebook(pages: list[Message]) -> None:
    found, _ears = begun(pages, None)
    for words, fault in (("nan-loss", "nan-loss"), ("KeyError: 'x'", "key-not-found")):
        asked(found, f"explain {words}")
        assert fault in pages[-1].plain
    for line in ("explain", "explain nothing here"):
        with pytest.raises(UserError):
            asked(found, line)
