"""The order in which a step of the walk is told, from stored records and typed answers."""

import io
from collections.abc import Iterator

import pytest
from rich.console import Console

from course.cli.stage.step_telling import LOOKS, StepTelling
from course.exercise import guess
from course.exercise.walk import Taken
from course.judge.verdict import judge
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Look, Part
from course.lesson.look_names import in_own_names
from course.runs.environment.runtime import Runtime
from course.runs.hub import Hub
from course.runs.record import LookResult, RunRecord, Training
from course.runs.run_context import RunContext
from tests.exercise.watch.made import stored

PART = lesson.load("ch8-4").parts["pt"]
KERAS = lesson.load("ch8-4").parts["tf"]
PLACE = RunContext(Runtime("pt", "python", {}), Hub("embedded"), "cpu")
STALLED = RunRecord(
    "stopped",
    training=Training(max_steps=300, batch_size=16, learning_rate=1e-3),
    losses=tuple((step, 1.1) for step in range(2, 62, 2)),
)


def taken(
    step: str, record: RunRecord | str, part: Part = PART, *, with_looks: bool = False
) -> Taken:
    if isinstance(record, str):
        record = stored(record)
    chosen = next(s for s in part.steps if s.id == step)
    verdict = judge(chosen, part.outcome, record)
    looks = part.looks_at(step) if with_looks else ()
    seen = tuple((look, seen_of(look)) for look in looks)
    fix = "--- x\n+++ x\n@@ -1 +1 @@\n-BUGGY\n+HEALTHY\n" if chosen.bug else ""
    return Taken(part, chosen, part.outcome, verdict, record, seen, fix, "")


def seen_of(wanted: Look | str) -> LookResult:
    """Make what the script that is not there shows."""
    code = wanted if isinstance(wanted, str) else wanted.code
    return LookResult(0, f"SEEN {code.splitlines()[-1]}", None, 0.0)


class Told:
    """What was printed of a step, with what was typed in between, and what was looked at."""

    def __init__(
        self,
        done: Taken,
        *typed: str,
        asks: bool = True,
        attended: bool = True,
        is_last: bool = False,
        height: int = 500,
    ) -> None:
        out = io.StringIO()
        console = Console(file=out, width=80, height=height)
        self.telling = StepTelling(console, PLACE, asks=asks, is_last=is_last)
        self.wanted: list[Look | str] = []
        self.screens: list[int] = []
        self.left: Iterator[str] = iter(typed)

        def answered(prompt: str = "") -> str:
            try:
                word = next(self.left)
            except StopIteration:
                raise EOFError from None
            out.write(f"{prompt}{word}\n")
            self.screens.append(out.getvalue().count("\n") - sum(self.screens))
            return word

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("builtins.input", answered)
            if attended:
                self._attend(done)
            else:
                self.telling.tell(done)
        self.text = " ".join(out.getvalue().split())

    def _attend(self, done: Taken) -> None:
        visit = self.telling.visit(done, lambda begun, frame: ())
        try:
            wanted = next(visit)
            while True:
                self.wanted.append(wanted)
                wanted = visit.send(seen_of(wanted))
        except StopIteration:
            pass

    def has_in_order(self, *texts: str) -> bool:
        """Return whether these texts, each of which must be there, follow each other."""
        assert not [text for text in texts if text not in self.text], self.text
        places = [self.text.index(text) for text in texts]
        return places == sorted(places)


ORDER = (
    "expected sequence of length",
    "What should a single example contain now?",
    "Inspecting the script",
    "SEEN tokenizer.decode",
    "(`length-mismatch`)",
    "HEALTHY",
)
CHOICES = guess.choice(catalogue()["missing-input-ids"])
assert CHOICES is not None
RIGHT = str(1 + [each.id for each in CHOICES.offered].index("missing-input-ids"))
WRONG = next(n for n in "123" if n != RIGHT)


def test_an_asked_step_tells_the_fault_only_after_four_looks() -> None:
    looks = PART.looks_at("length-mismatch")
    told = Told(taken("length-mismatch", "length-mismatch"), *[""] * (LOOKS + 4))
    others = f"There are {len(looks)} inspections in all"
    order = (*ORDER[:2], "At which stage", *ORDER[2:4], others, "Which fault is it?", *ORDER[4:])
    assert told.has_in_order(*order)
    assert told.wanted == list(looks[:LOOKS])
    assert told.telling.guessed is None
    assert not told.telling.quits
    # Neither the id nor the title of the fault comes before.
    assert "length-mismatch" not in told.text[: told.text.index("(`length-mismatch`)")]


def test_a_guess_is_answered_by_what_tells_the_two_apart() -> None:
    done = taken("missing-input-ids", "missing-input-ids")
    told = Told(done, "2", "3", "", "", WRONG, "9", RIGHT, "q")
    assert CHOICES is not None
    guessed = CHOICES.offered[int(WRONG) - 1]
    order = (
        "Which fault is it?",
        f"(`{guessed.id}`) {in_own_names(CHOICES.apart(guessed), PART.text(PART.bugs))}",
        "Give a number from 1 to 4.",
        "Yes, this is what the run shows.",
        "(`missing-input-ids`) The Trainer drops",
        "Your guess: data. The stage of this fault: data.",
    )
    assert told.has_in_order(*order)
    assert told.telling.guessed is False
    assert Told(done, "6", "3", "", "", RIGHT, "q").telling.guessed is True
    assert (
        "Your guess: evaluation. The stage of this fault: data."
        in Told(done, "6", "3", "", "", "", "q").text
    )


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_what_is_offered_is_told_apart(name: str) -> None:
    found = guess.choice(catalogue()[name])
    if found is not None:
        assert guess.FEWEST <= len(found.offered) <= guess.MOST
        for each in found.offered:
            if each is not found.fault:
                assert found.apart(each).startswith("No, this is not the fault. ")


def test_each_fault_of_a_lesson_can_be_guessed() -> None:
    steps = (s for n in lesson.ids() for p in lesson.load(n).parts.values() for s in p.steps)
    faults = {step.fault for step in steps if step.fault}
    assert [name for name in sorted(faults) if guess.choice(catalogue()[name]) is None] == []


def test_after_the_answer_the_other_looks_are_there() -> None:
    looks = PART.looks_at("length-mismatch")
    told = Told(taken("length-mismatch", "length-mismatch"), *[""] * (LOOKS + 3), "9", "2", "")
    assert told.wanted == list(looks)
    assert not told.telling.quits


def test_a_step_in_a_pipe_has_the_same_order() -> None:
    done = taken("length-mismatch", "length-mismatch", with_looks=True)
    told = Told(done, asks=False, attended=False)
    assert told.has_in_order(*ORDER)
    assert "Enter" not in told.text


def test_a_silent_step_does_not_say_beforehand_what_is_wrong() -> None:
    looks = KERAS.looks_at("learning-rate-too-high")
    done = taken("learning-rate-too-high", STALLED, KERAS)
    told = Told(done, *[""] * (len(looks) + 2))
    order = ("No error was raised.", "How large should the loss be", "SEEN", "The run shows:")
    assert told.has_in_order(*order, "learning rate 0.001", "Which fault is it?")
    assert "1.1" in told.text[: told.text.index("How large should the loss be")]


def test_what_is_typed_is_evaluated_and_goes_nowhere() -> None:
    typed = ("", "trainer", "raw['train'][0]", "no", "len(raw) # 2", "", "x = 1")
    told = Told(taken("missing-input-ids", "missing-input-ids"), *typed)
    first = PART.looks_at("missing-input-ids")[0]
    assert told.wanted == ["trainer", "raw['train'][0]", "no", "len(raw) # 2", first, "x = 1"]
    assert ">>> raw['train'][0] SEEN raw['train'][0]" in told.text
    # The input has ended there.
    assert told.telling.quits
    assert "(`missing-input-ids`)" not in told.text


@pytest.mark.parametrize("word", ["", "y", "YES", "да", "Д", "是", "好", "  "])
def test_words_that_go_on(word: str) -> None:
    told = Told(taken("missing-input-ids", "missing-input-ids"), "", word)
    assert told.wanted == [PART.looks_at("missing-input-ids")[0]]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_number_shows_that_look_and_no_other(number: int) -> None:
    told = Told(taken("missing-input-ids", "missing-input-ids"), "", str(number))
    # Those before it are taken, as it may use their names.
    assert told.wanted == list(PART.looks_at("missing-input-ids")[:number])
    assert told.text.count("SEEN ") == 1


@pytest.mark.parametrize("number", ["0", "99"])
def test_a_number_without_a_look_is_answered_by_those_that_have_one(number: str) -> None:
    told = Told(taken("missing-input-ids", "missing-input-ids"), "", number)
    assert told.wanted == []
    assert "Give a number from 1 to 3." in told.text


@pytest.mark.parametrize("word", ["?", "more"])
def test_what_can_be_typed_is_said_once_more(word: str) -> None:
    told = Told(taken("missing-input-ids", "missing-input-ids"), "", word, "q")
    assert told.text.count("Inspect the stopped script yourself") == 2
    assert told.wanted == []


def test_the_looks_after_the_fourth_are_there_before_the_guess() -> None:
    typed = [*[""] * (LOOKS + 1), str(LOOKS + 1), ""]
    told = Told(taken("length-mismatch", "length-mismatch"), *typed)
    assert told.wanted == list(PART.looks_at("length-mismatch")[: LOOKS + 1])
    assert "Which fault is it?" in told.text


def test_a_look_is_shown_again_and_not_taken_again() -> None:
    told = Told(
        taken("missing-input-ids", "missing-input-ids"), "", "3", "", "1", "", "", "1", "3", ""
    )
    assert len(told.wanted) == 3
    assert told.text.count("SEEN trainer.train_dataset[0]") == 3
    assert not told.telling.quits


def test_no_screen_scrolls_by_unread() -> None:
    done = taken("learning-rate-too-high", STALLED, KERAS)
    told = Told(done, *[""] * 30, height=24)
    assert max(told.screens) <= 24
    assert told.telling.answered


@pytest.mark.parametrize("word", ["q", "Q", "quit", "exit"])
def test_it_can_be_left_at_each_question(word: str) -> None:
    done = taken("missing-input-ids", "missing-input-ids")
    for before in ([], [""], ["", "3"], ["", "3", ""]):
        told = Told(done, *before, word, "", "", "")
        assert told.telling.quits
        assert list(told.left) == ["", "", ""]


def test_what_is_no_python_is_told_and_not_evaluated() -> None:
    told = Told(taken("missing-input-ids", "missing-input-ids"), "", "the dataset", "1 +")
    assert told.wanted == []
    assert told.text.count("This line is not valid Python.") == 2


def test_where_nothing_ran_there_is_nothing_to_look_into() -> None:
    done = taken("missing-input-ids", "missing-input-ids")
    told = Told(done, "trainer", "", "", "", attended=False)
    assert "This step was not run on this machine" in told.text
    order = ("What would you look at first?", "Which fault is it?", "(`missing-input-ids`)")
    assert told.has_in_order(*order)
    assert not told.telling.quits


def test_after_the_last_step_nothing_more_is_asked() -> None:
    done = taken("healthy", "none.healthy")
    told = Told(done, *[""] * (LOOKS + 1), is_last=True)
    assert (list(told.left), told.telling.quits) == ([], False)
    order = ("percentage points", "What would convince you", "Inspecting")
    assert told.has_in_order(*order)
    assert Told(done, attended=False, is_last=True).telling.quits is False


def test_the_question_of_a_step_does_not_name_the_fault() -> None:
    for name in lesson.ids():
        for part in lesson.load(name).parts.values():
            for step in part.steps:
                assert not step.question or step.question.endswith(("?", ".")), (name, step.id)
                assert step.id not in step.question
