"""The state of a watch, as a pure function of what happens."""

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course.exercise.hint import LOOK_AROUND, OWN
from course.exercise.practice import NO_FIX, Practice
from course.exercise.watch.state import (
    CHANGED,
    ELSEWHERE,
    KEYS,
    NONE_MENDED,
    NOT_YET,
    Apply,
    Cancel,
    Effect,
    Ended,
    FixRefused,
    Heard,
    Hinted,
    KeyPress,
    LookAround,
    Quit,
    RunEffect,
    Saved,
    State,
    Warming,
    WatchEvent,
    advance,
)
from course.runs.record import RunRecord
from tests.exercise.watch.made import (
    COPY,
    FAULTS,
    KINDS,
    PART,
    after,
    copy,
    judged,
    keys,
    phases,
    practice,
    training,
)

NEWER = copy(COPY.text + "# newer\n")
GONE = Saved(None, "There is no file.")
FAULT = "missing-input-ids"
EVERY_PHASE = pytest.mark.parametrize("phase", list(phases()))


def last(state: State, *events: WatchEvent) -> tuple[Effect, ...]:
    """Return what the last of these events has done."""
    return after(*events, state=state)[1]


# Saves and runs.


@pytest.mark.parametrize(
    ("events", "effects", "number"),
    [
        ([Saved(COPY)], [RunEffect(1, COPY)], 1),
        ([Saved(COPY), Saved(NEWER)], [Cancel(1), RunEffect(2, NEWER)], 2),
        ([Saved(COPY), Ended(1, practice("fault")), Saved(NEWER)], [RunEffect(2, NEWER)], 2),
        ([GONE], [], 0),
        ([Saved(COPY), GONE], [Cancel(1)], 1),
        ([Saved(COPY), GONE, Ended(1, practice("fault"))], [], 1),
        ([Saved(COPY), GONE, Saved(COPY)], [RunEffect(2, COPY)], 2),
        ([GONE, Saved(None, "It is no text.")], [], 0),
    ],
)
def test_what_is_saved_runs_in_place_of_what_was_before(
    events: list[WatchEvent], effects: list[Effect], number: int
) -> None:
    """What is gone runs no more, and what comes back under a number of its own."""
    state, done = after(*events)
    assert list(done) == effects
    last = next(event for event in reversed(events) if isinstance(event, Saved))
    assert (state.number, state.copy, state.trouble) == (number, last.copy, last.trouble)
    assert (state.running, state.stale) == (last.copy is not None, True)


def test_a_run_that_did_not_go_as_it_was_to_is_told_beside_its_verdict() -> None:
    done = practice("fault")
    lost = replace(done, run=replace(done.run, note="Run again from cold."))
    assert after(Saved(COPY), Ended(1, lost))[0].note == "Run again from cold."
    unkept = replace(done, kept=False)
    assert "could not be saved" in after(Saved(COPY), Ended(1, unkept))[0].note
    assert after(Saved(COPY), Ended(1, done))[0].note == ""


def test_what_a_cancelled_run_still_says_is_ignored() -> None:
    state, _effects = after(Saved(COPY), Saved(NEWER))
    for voice in (
        Heard(1, {"event": "line", "line": 1, "text": "x = 1"}),
        Heard(1, {"event": "loss", "step": 9, "mean": "0.5"}),
        Ended(1, practice("healthy")),
    ):
        assert advance(state, voice) == (state, ())


def test_what_a_run_says_after_its_end_is_ignored() -> None:
    state = judged("fault")
    for voice in (Heard(1, {"event": "again"}), Ended(1, practice("healthy"))):
        assert advance(state, voice) == (state, ())


def test_the_old_verdict_stays_in_view_while_a_newer_text_runs() -> None:
    state, _effects = after(Saved(NEWER), state=judged("fault"))
    assert state.stale
    assert state.done == judged("fault").done
    state, _effects = after(Ended(2, practice("later fault", NEWER)), state=state)
    assert not state.stale
    assert state.done is not None
    assert state.done.copy == NEWER


def test_a_file_that_goes_leaves_the_old_verdict_stale_and_no_panel() -> None:
    state, effects = after(GONE, state=keys(judged("fault"), "h"))
    assert effects == ()
    assert state.stale
    assert (state.panel, state.hints, state.note) == ("", (), "")
    assert state.done is not None


# What a run tells.


@pytest.mark.parametrize(
    ("begun", "line"), [(Heard(1, {"event": "again"}), {"event": "again"}), (Saved(NEWER), None)]
)
def test_a_run_that_begins_has_no_losses(begun: WatchEvent, line: object) -> None:
    state, _effects = after(Saved(COPY), *training(1), begun)
    assert (state.losses, state.last, state.line, state.running) == ((), None, line, True)


def test_the_last_line_told_is_kept() -> None:
    line = {"event": "line", "line": 3, "text": "x = 1"}
    step = {"event": "step", "step": 1, "of": 900, "epoch": 0.0}
    assert after(Saved(COPY), Heard(1, line))[0].line == line
    assert after(Saved(COPY), Heard(1, line), Heard(1, step))[0].line == step
    quiet = Heard(1, {"event": "figures", "values": {}})
    assert after(Saved(COPY), Heard(1, line), quiet)[0].line == line


def test_warming_up_ends_with_the_first_line() -> None:
    warming, _effects = after(Saved(COPY), Warming())
    assert warming.warming
    line = {"event": "line", "line": 3, "text": "x = 1"}
    assert not after(Heard(1, line), state=warming)[0].warming
    assert not after(Ended(1, practice("fault")), state=warming)[0].warming


STRANGE: list[Any] = [
    [],
    None,
    "line",
    {},
    {"event": "line"},
    {"event": "line", "line": "3", "text": ["x"]},
    {"event": "step"},
    {"event": "step", "step": 1, "of": 2, "epoch": "soon"},
    {"event": "train"},
    {"event": "train", "max_steps": None},
    {"event": "train", "max_steps": "many"},
    {"event": "loss"},
    {"event": "loss", "step": None, "mean": "0.5"},
    {"event": "loss", "step": 1, "mean": None},
    {"event": "loss", "step": 1, "mean": "low"},
    {"event": ["line"]},
    {"event": "no such event"},
]


@pytest.mark.parametrize("strange", STRANGE, ids=repr)
def test_what_a_script_wrote_into_its_own_record_is_passed_over(strange: Any) -> None:
    state, _effects = after(Saved(COPY), Heard(1, {"event": "line", "line": 1, "text": "x"}))
    assert advance(state, Heard(1, strange)) == (state, ())


# Keys that mean the same in every phase.


@EVERY_PHASE
def test_quit_stops_the_run_under_way(phase: str) -> None:
    before = phases()[phase]
    state, effects = advance(before, KeyPress("q"))
    assert effects == ((Cancel(before.number), Quit()) if before.running else (Quit(),))
    assert not state.running


@EVERY_PHASE
def test_run_runs_what_there_is_once_more(phase: str) -> None:
    before = phases()[phase]
    state, effects = advance(before, KeyPress("r"))
    if before.copy is None:
        assert (state, effects) == (before, ())
    else:
        stop = (Cancel(before.number),) if before.running else ()
        assert effects == (*stop, RunEffect(before.number + 1, before.copy))
        assert state.running


@EVERY_PHASE
def test_the_list_opens_and_closes(phase: str) -> None:
    opened, effects = advance(phases()[phase], KeyPress("l"))
    assert (opened.panel, effects) == ("list", ())
    assert advance(opened, KeyPress("l")) == (replace(opened, panel=""), ())


def test_vital_signs_are_those_of_a_run_that_is_over() -> None:
    assert keys(phases()["first run"], "v") == phases()["first run"]
    again = keys(phases()["running again"], "v")
    assert (again.panel, again.note) == ("", NOT_YET)


@EVERY_PHASE
@pytest.mark.parametrize("name", ["", " ", "x", "\x1b", "\n", "\x00", "ж", "批", "hh", "quit"])
def test_other_keys_do_nothing(phase: str, name: str) -> None:
    before = phases()[phase]
    assert advance(before, KeyPress(name)) == (before, ())


@EVERY_PHASE
def test_keys_mean_the_same_in_capitals_and_on_a_russian_keyboard(phase: str) -> None:
    before = phases()[phase]
    assert set(ELSEWHERE.values()) == set(KEYS)
    for russian, latin in ELSEWHERE.items():
        wanted = advance(before, KeyPress(latin))
        for name in (russian, latin.upper(), russian.upper()):
            assert advance(before, KeyPress(name)) == wanted


# Keys that ask about a verdict.


@pytest.mark.parametrize("key", "hfne")
@pytest.mark.parametrize(
    "phase",
    [
        *("nothing yet", "no file", "first run", "warming up", "at a line", "training"),
        "gone after a verdict",
    ],
)
def test_without_a_verdict_or_a_file_there_is_nothing_to_ask_about(phase: str, key: str) -> None:
    before = phases()[phase]
    assert advance(before, KeyPress(key)) == (before, ())


@pytest.mark.parametrize("key", "hfne")
@pytest.mark.parametrize("phase", ["running again", "training again"])
def test_of_a_text_that_still_runs_nothing_is_known(phase: str, key: str) -> None:
    before = phases()[phase]
    state, effects = advance(before, KeyPress(key))
    assert (state, effects) == (replace(before, note=NOT_YET), ())


@pytest.mark.parametrize("key", "hfn")
def test_of_a_healthy_text_there_is_nothing_to_mend(key: str) -> None:
    state, effects = advance(judged("healthy"), KeyPress(key))
    assert effects == ()
    assert (state.panel, state.hints, state.fix) == ("", (), None)
    assert state.note.startswith("The script trains, and the model has learned.")
    assert "course start ch8-4 DIR" in state.note


# Hints.


@pytest.mark.parametrize(
    ("kind", "fault", "rungs"),
    [
        ("fault", FAULT, 3),
        ("later fault", "size-1-array", 3),
        ("own fault", "missing-import", 3),
        ("unknown", "", 3),
        ("syntax error", "syntax-error", 3),
        ("problem", "", 1),
    ],
)
def test_hints_go_up_to_the_last_and_stay(kind: str, fault: str, rungs: int) -> None:
    state = judged(kind)
    assert state.done is not None
    for press in range(1, rungs + 3):
        shown = min(press, rungs)
        state, effects = advance(state, KeyPress("h"))
        assert effects == (Hinted(COPY, fault, shown),)
        assert state.panel == "hint"
        assert [h.level for h in state.hints] == list(range(1, shown + 1))


def test_a_failure_that_the_catalogue_does_not_know_has_hints_too() -> None:
    hints = keys(judged("unknown"), "hhh").hints
    assert [h.texts for h in hints] == [(OWN[0], LOOK_AROUND), *((text,) for text in OWN[1:])]


def test_the_first_hint_offers_the_lessons_look() -> None:
    first = keys(judged("fault"), "h").hints[0]
    assert "Evaluate `trainer.train_dataset[0]` there" in first.texts[-1]


@pytest.mark.parametrize("kind", ["fault", "unknown", "healthy"])
def test_a_look_is_into_the_text_that_ran_last(kind: str) -> None:
    before = judged(kind)
    state, effects = advance(before, KeyPress("e"))
    assert before.done is not None
    assert effects == (LookAround(before.done.copy),)
    assert (state.panel, state.running) == ("", False)


def test_the_hint_for_a_problem_names_the_problem() -> None:
    (hint,) = keys(judged("problem"), "h").hints
    assert hint.texts == ("The script ended without training to the last step.",)


@pytest.mark.parametrize(("known", "shown"), [(0, 1), (1, 1), (2, 2), (3, 3), (9, 3)])
def test_hints_known_from_before_are_shown_at_once(known: int, shown: int) -> None:
    hints = {FAULT: known, "size-1-array": 2}
    state, effects = after(KeyPress("h"), state=judged("fault", hints=hints))
    assert len(state.hints) == shown
    assert effects == (Hinted(COPY, FAULT, shown),)


def test_hints_that_were_closed_come_back_as_far_as_they_went() -> None:
    state = keys(judged("fault"), "hhf")
    assert state.hints == ()
    state, effects = after(KeyPress("h"), state=state)
    assert len(state.hints) == 2
    assert effects == (Hinted(COPY, FAULT, 2),)
    assert len(keys(state, "h").hints) == 3


# Fixes.


@pytest.mark.parametrize("typed", ["fn", "nn", "ffn"])
def test_next_makes_the_fix_in_view(typed: str) -> None:
    shown = keys(judged("fault"), typed[:-1])
    state, effects = advance(shown, KeyPress("n"))
    assert shown.fix is not None
    assert effects == (Apply(COPY, shown.fix),)
    assert (state.panel, state.fix, state.note) == ("", None, "")
    assert 'train_dataset=tokenized["train"]' in shown.fix.text


@pytest.mark.parametrize("typed", ["fhn", "fln", "ffhn"])
def test_next_makes_no_fix_that_is_out_of_view(typed: str) -> None:
    state, effects = after(*map(KeyPress, typed), state=judged("fault"))
    assert effects == ()
    assert (state.panel, state.note) == ("fix", "`n` makes these changes in the file.")


BUGGY = PART.bugs[0].edits[0].buggy
NO_PLACE = COPY.text.replace(BUGGY, "train_dataset=other")
TWICE = COPY.text.replace(f"{BUGGY},", f"{BUGGY},\n    **dict({BUGGY}),")
NO_PYTHON = f"{COPY.text}def f(:\n"


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("own fault", COPY.text, "own"),
        ("unknown", COPY.text, "own"),
        ("syntax error", NO_PYTHON, "own"),
        ("fault", NO_PLACE, "not-found"),
        ("fault", TWICE, "several"),
        ("fault", NO_PYTHON, "syntax"),
    ],
)
@pytest.mark.parametrize("typed", ["f", "fn", "n", "nn"])
def test_where_no_fix_fits_it_is_said_why(kind: str, text: str, reason: str, typed: str) -> None:
    state, effects = after(*map(KeyPress, typed), state=judged(kind, copy(text)))
    assert effects == ()
    assert state.fix is not None
    assert (state.panel, state.fix.reason) == ("fix", reason)
    # Where our lines are not found, the lesson's own text shows what is to be changed by hand.
    assert bool(state.fix.diff) == (reason in ("not-found", "several"))
    assert state.note.endswith(NO_FIX[reason])
    assert state.note.startswith(f"Line {len(NO_PYTHON.splitlines())}: ") == (reason == "syntax")


@pytest.mark.parametrize("typed", ["f", "fn", "n", "nn"])
def test_a_run_that_came_to_its_end_has_no_fix_but_a_problem(typed: str) -> None:
    state, effects = after(*map(KeyPress, typed), state=judged("problem"))
    assert (state.panel, state.fix, effects) == ("", None, ())
    assert state.note == "The script ended without training to the last step."


@pytest.mark.parametrize(("why", "note"), [("", CHANGED), ("No room.", "No room.")])
def test_a_fix_that_was_refused_is_told(why: str, note: str) -> None:
    state, effects = after(KeyPress("n"), KeyPress("n"), FixRefused(why), state=judged("fault"))
    assert (state.note, effects) == (note, ())


# Panels.


@pytest.mark.parametrize("typed", ["h", "hhh", "f", "n", "l"])
def test_a_verdict_closes_what_was_told_about_the_one_before(typed: str) -> None:
    opened = keys(judged("fault"), typed)
    assert opened.panel
    state, _effects = after(Saved(NEWER), Ended(2, practice("later fault", NEWER)), state=opened)
    # The later fault shows that the earlier ones are mended.
    assert (state.panel, state.hints, state.fix) == ("", (), None)
    assert state.note == "`m` shows the lesson's fix beside yours."
    again, _effects = after(Saved(NEWER), Ended(3, known(state)), state=state)
    assert again.note == ""


def known(state: State) -> Practice:
    """Give the last run once more, of which nothing is new."""
    assert state.done is not None
    return replace(state.done, before=state.done.now)


def test_what_is_mended_is_compared_one_bug_at_a_press() -> None:
    state = keys(judged("later fault"), "m")
    assert state.done is not None
    assert state.done.newly_behind == FAULTS[:3]
    shown = []
    while state.panel == "mended":
        assert state.mended is not None
        shown.append(state.mended.bug.fault)
        assert state.note == ("`m` shows the next part." if len(shown) < 3 else "")
        state = keys(state, "m")
    assert tuple(shown) == FAULTS[:3]
    assert (state.panel, state.mended) == ("", None)
    assert keys(judged("fault"), "m").note == NONE_MENDED
    assert keys(keys(judged("later fault"), "mm"), "ь").part == 2


# Any course of events.

TEXTS = [COPY.text, NEWER.text, NO_PLACE, TWICE, NO_PYTHON, ""]
COPIES = [copy(text) for text in TEXTS]
RECORDS: list[str | RunRecord] = [*KINDS, RunRecord("interrupted"), RunRecord("time-limit")]
PRACTICES = [practice(record) for record in RECORDS]


@dataclass(frozen=True)
class Voice:
    """Something that a run says: of the last one, or of one that was so many before."""

    before: int
    said: dict[str, Any] | Practice


ORDERLY = st.sampled_from(
    [
        {"event": "again"},
        {"event": "train", "max_steps": 900},
        {"event": "loss", "step": 9, "mean": "0.5"},
        {"event": "loss", "step": 18, "mean": "nan"},
        {"event": "step", "step": 40, "of": 900, "epoch": 0.1},
        {"event": "line", "line": 3, "text": "x = 1"},
        {"event": "exception"},
        {"event": "end", "seconds": 1.0, "exit": 0},
    ]
)
VOICES = st.builds(
    Voice,
    st.sampled_from([0, 0, 0, 1, 2, -1]),
    st.one_of(ORDERLY, st.sampled_from(STRANGE), *[st.sampled_from(PRACTICES)] * 3),
)
SAVES = st.builds(Saved, st.sampled_from(COPIES))
PRESSED = st.builds(
    KeyPress, st.sampled_from([*KEYS, *ELSEWHERE, "H", "x", ""]) | st.text(max_size=2)
)
EVENTS = st.one_of(SAVES, st.just(GONE), st.just(Warming()), st.builds(FixRefused), VOICES, PRESSED)
ENDS = st.builds(Voice, st.just(0), st.sampled_from(PRACTICES))
ASKED = st.lists(st.builds(KeyPress, st.sampled_from("hhffnnnlv")), min_size=2, max_size=6)
# By chance alone a verdict would seldom come to somebody who asks about it.
EPISODES = st.one_of(
    st.lists(EVENTS, max_size=4),
    st.builds(lambda save, end, asked: [save, end, *asked], SAVES, ENDS, ASKED),
)


def event_of(state: State, drawn: WatchEvent | Voice) -> WatchEvent:
    """Make sure that a voice comes from a run that there is, and judges the text of that run."""
    if not isinstance(drawn, Voice):
        return drawn
    number = state.number - drawn.before
    if isinstance(drawn.said, Practice):
        return Ended(number, replace(drawn.said, copy=state.copy or COPY))
    return Heard(number, drawn.said)


@settings(max_examples=120)
@given(st.lists(EPISODES, min_size=2, max_size=10))
def test_whatever_happens_at_most_one_run_is_under_way(
    drawn: list[list[WatchEvent | Voice]],
) -> None:
    state = State()
    under_way: int | None = None
    newest = 0
    for each in chain.from_iterable(drawn):
        event = event_of(state, each)
        if isinstance(event, Ended) and event.number == under_way:
            under_way = None
        before = state
        state, effects = advance(state, event)
        for effect in effects:
            match effect:
                case Cancel(number):
                    assert number == under_way
                    under_way = None
                case RunEffect(number, running):
                    assert under_way is None
                    assert number > newest
                    assert running == state.copy
                    under_way = newest = number
                case Apply(mended, _fix):
                    assert isinstance(event, KeyPress)
                    assert mended == before.copy
                    assert before.panel == "fix"
                    assert under_way is None
                case Hinted(about, fault, rung):
                    assert about == state.copy
                    assert fault in ("", "missing-import", "syntax-error", *FAULTS)
                    assert rung == len(state.hints) > 0
                case Quit():
                    assert effect == effects[-1]
        assert state.running == (under_way is not None)
        assert state.number == newest
        assert (state.panel == "hint") == bool(state.hints)
        assert (state.panel == "fix") == (state.fix is not None)
        assert not (state.copy is not None and state.trouble)
        assert state.copy is not None or not state.running
        if state.done is not None and not state.stale:
            assert state.done.copy == state.copy
