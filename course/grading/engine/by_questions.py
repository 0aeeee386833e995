"""The examination of one submission by questions, and the grade that comes of it.

Marks come of answers to questions that were drawn for this examination, and of weights that we
read ourselves. What the process says of itself beyond that is believed where it speaks against
it, and nowhere else.
"""

import contextlib
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from course.grading.engine import adaptations, static_checks, termination, text_evidence
from course.grading.engine.text_evidence import TOLD, AssignedExercise
from course.grading.grade import OURS, BugGrade, Grade, GradeNote, Healthy, How, NewFault, Value
from course.grading.reference import encoder, weights
from course.grading.reference.dataset import EVALUATION, TRAIN, UNSEEN, Drawn
from course.grading.reference.question import KINDS, WRONG, Question, explain
from course.grading.reference.weights import BadWeights
from course.grading.rubric import Rubric
from course.judge import named_figure
from course.judge.health import COMPLETE
from course.judge.named_figure import NamedFigure
from course.lesson.bug import Bug
from course.lesson.catalogue import matches
from course.runs import record
from course.runs.record import Raised, RunRecord
from course.runs.sandbox.bubblewrap import Done, JobMailbox, Sandbox
from course_probe.events import ErrorInfo
from course_probe.exam.own_steps import PREFIX

WEIGHTS_CAP = 64 * 2**20
RAISED = 21
"""Exceptions that are kept: as many as a script may fail with, and the one that ends it."""
AROUND = frozenset(
    {"batch-of-one", "fewer-labels", "fewer-examples", "validation-data", "other-labels"}
    | {"no-metric", "no-training", "other-evaluation", "zero-rate", "not-moved"}
)
"""Notes on ways around a bug: with one of them the healthy outcome is not reached."""


EVALUATED = "evaluation"
"""What was asked where the training's own evaluation is held against our count."""
AGREES = 0.02
"""How far the accuracy that a training reports may be from the one that we count."""
ELSEWHERE, HELD_OUT = 0.12, 100
"""How far off it may be where the evaluation is on other examples, and how many these must be."""
ALIKE = 2
"""Datasets of the validation set's size among those that are drawn: matched and mismatched."""
LAST = 3
"""Numbers that a script has printed last, among which its own accuracy is looked for."""
UNHELD = ("rows", "batch", "pairs", "loss")
"""Kinds of questions about parts that a loop by hand need not put into any object."""
OWN = ("NameError", "AttributeError", "ImportError", "ModuleNotFoundError", "UnboundLocalError")
"""Exceptions of a part under question that come of a slip, not of the bug that was asked about."""
_SHARE = re.compile(r"(?<![\w.])(?P<whole>\d+)\.(?P<digits>\d+)")


@dataclass
class _Answer:
    """What came of one question: how it was answered, or the exception that was raised instead."""

    how: How = "not-reached"
    error: Raised | None = None
    reason: Mapping[str, Value] = field(default_factory=dict)

    @property
    def right(self) -> bool:
        """Whether it speaks for a bug that is gone."""
        return self.how in ("answers", "run")


class Sitting:
    """One submission being examined: hears what its process says, and asks."""

    def __init__(
        self,
        exercise: AssignedExercise,
        rubric: Rubric,
        drawn: Drawn,
        text: str,
        chance: random.Random,
    ) -> None:
        self.exercise, self.rubric, self.drawn = exercise, rubric, drawn
        self.text, self.chance = text, chance
        self.bugs = exercise.part.known
        self.answers = {bug.fault: _Answer() for bug in self.bugs}
        self.raised: list[Raised] = []
        self.notes: dict[str, Mapping[str, Any]] = {}
        self.outcome: Healthy | None = None
        self.ended = False
        self.training_seconds = 0.0
        self.unproved: list[str] = []
        self.adapted: list[adaptations.Adapted] = []
        self.findings = static_checks.find(text)
        self._tampering = any(finding.withholds for finding in self.findings)
        self._metric = next((bug for bug in self.bugs if bug.exam == "metric"), None)
        self._figure = NamedFigure(exercise.part.outcome.metric)
        """By which name the script says its accuracy."""
        self._questions: list[tuple[Bug, Question]] = []
        self._again: list[tuple[Bug, Question]] = []
        self._answered: set[tuple[bool, int]] = set()
        self._reached = ""
        self._line: int | None = None
        """The line of the last statement that began."""
        self._repaired: set[str] | None = None
        self._evaluated: dict[str, Any] | None = None
        self._as_large: dict[str, Mapping[str, Any]] = {}
        """Figures of the last step on data as many as the validation set, by names of datasets."""
        self._weighed = False
        self._trained: Mapping[str, Any] = {}
        self._own_model = False
        self._asked: list[tuple[str, int]] = []
        self._logits: Any = None

    def heard(self, event: dict[str, Any], desk: JobMailbox) -> None:
        """Take in one event; one that makes no sense is none."""
        handler = getattr(self, f"_on_{event['event']}", None)
        if handler is not None:
            with contextlib.suppress(*WRONG):
                handler(event, desk)

    def _on_adapted(self, event: dict[str, Any], desk: JobMailbox) -> None:
        adaptations.hear(self.adapted, event)

    def _on_exception(self, event: dict[str, Any], desk: JobMailbox) -> None:
        if len(self.raised) < RAISED:
            self.raised.append(record.raised(cast(ErrorInfo, event)))

    def _on_line(self, event: dict[str, Any], desk: JobMailbox) -> None:
        self._line = int(event["line"])

    def _on_ready(self, event: dict[str, Any], desk: JobMailbox) -> None:
        if event["reached"] == "again":
            if self._repaired is not None and not self._again:
                self._again = self._put("again.json", desk)
        elif not self._questions:
            self._reached = event["reached"]
            if self._reached == "loop":
                self.notes["own-loop"] = {}
            elif self._reached != "training":
                self.notes["no-training"] = {}
            self._questions = self._put("questions.json", desk)

    def _put(self, name: str, desk: JobMailbox) -> list[tuple[Bug, Question]]:
        """Draw questions on every part, and lay them on the desk."""
        drawn = []
        for bug in self.bugs:
            question = KINDS[bug.exam].ask(self.chance, self.drawn)
            drawn.append((bug, {**question, "kind": bug.exam}))
        # A metric or a model that never comes back is not to keep the others from being asked.
        self.chance.shuffle(drawn)
        desk.put(name, [question for _bug, question in drawn])
        return drawn

    def _on_answer(self, event: dict[str, Any], desk: JobMailbox) -> None:
        again, index = event.get("again") is True, int(event["index"])
        questions = self._again if again else self._questions
        if (again, index) in self._answered or not 0 <= index < len(questions):
            return
        self._answered.add((again, index))
        bug, question = questions[index]
        found = self._judged(bug, question, event, desk)
        if not again:
            self.answers[bug.fault] = found
        elif self.answers[bug.fault].right and not found.right:
            # It answered rightly once, and no longer does after a training.
            self.answers[bug.fault] = found

    def _judged(
        self, bug: Bug, question: Question, event: dict[str, Any], desk: JobMailbox
    ) -> _Answer:
        """Judge the result of one question."""
        if "error" in event:
            missing = event["error"]["missing"] is True
            if missing and bug.exam == "metric" and self._reached != "loop":
                self.notes["no-metric"] = {}
            raised = _raised(event["error"])
            told = {} if missing else {"answered": f"{raised.name}: {raised.message}"[:TOLD]}
            reason = {"asked": bug.exam, **told}
            return _Answer("missing" if missing else "raised", raised, reason)
        found = _weights(desk) if question.get("weights") else {}
        if found and self._reached == "loop":
            # A loop has trained by now.
            self._trained = found
        with np.errstate(all="ignore"):
            answered, expected = explain(bug.exam, question, event["value"], self.drawn)
            reason = {"asked": bug.exam, "answered": answered, "expected": expected}
            try:
                judged = KINDS[bug.exam].judge(question, event["value"], self.drawn, found)
            except WRONG:
                return _Answer("wrong-answer", reason=reason)
        self._figure = judged.figure or self._figure
        self._own_model |= "own-model" in judged.notes
        self.notes.update(judged.notes)
        return _Answer("answers" if judged.right else "wrong-answer", reason=reason)

    def _on_train(self, event: dict[str, Any], desk: JobMailbox) -> None:
        """Believe what speaks against the submission."""
        examples, labels = event.get("examples"), event.get("labels")
        if event.get("batch_size") == 1:
            self.notes["batch-of-one"] = {}
        if isinstance(examples, int) and examples < COMPLETE * len(self.drawn.splits[TRAIN]):
            self.notes["fewer-examples"] = {
                "found": max(0, examples),
                "examples": len(self.drawn.splits[TRAIN]),
            }
        if isinstance(labels, dict) and 0 < len(labels) < self.drawn.labels:
            self.notes["fewer-labels"] = {"found": len(labels), "labels": self.drawn.labels}

    _on_claims = _on_train

    def _on_answered(self, event: dict[str, Any], desk: JobMailbox) -> None:
        if (desk.place / "then.json").exists():
            return
        wrong = [bug for bug in self.bugs if not self.answers[bug.fault].right]
        then: dict[str, Any] = {"do": "leave"}
        if self._is_worth_a_training(wrong):
            self._repaired = {bug.fault for bug in wrong}
            exam = self.exercise.part.exam
            assert exam is not None
            known = {"checkpoint": exam.checkpoint, "texts": exam.texts}
            then = {
                "do": "train",
                "epochs": self.rubric.epochs,
                # A plain script has no parts of its own that could behave otherwise in use.
                "again": not self.is_plain(),
                "repair": [bug.exam for bug in wrong],
                "data": {**known, "labels": self.drawn.labels},
            }
        if self._own_model:
            then["ask"] = self._many_texts()
        desk.put("then.json", then)
        if self._reached == "loop" and not self._own_model:
            self._weigh_loop()

    def _many_texts(self) -> dict[str, Any]:
        """Examples of two splits in no order, for a model that we cannot compute ourselves.

        The labels of one of them are nowhere in the box, and nothing tells which examples are its.
        """
        self._asked = [
            (which, number)
            for which in (EVALUATION, UNSEEN)
            for number in range(len(self.drawn.splits[which]))
        ]
        self.chance.shuffle(self._asked)
        rows = [self.drawn.splits[which].ids[number] for which, number in self._asked]
        ids, mask = _padded(rows)
        return {"input_ids": ids.tolist(), "attention_mask": mask.tolist()}

    def _on_logits(self, event: dict[str, Any], desk: JobMailbox) -> None:
        logits = np.array(event["value"], dtype=np.float64)
        if self._logits is not None or logits.ndim != 2 or len(logits) != len(self._asked):
            return
        self._logits = logits
        if self._reached == "loop":
            self._weigh_loop()
        elif self._repaired is not None and not self._repaired:
            self.outcome = self._measured({})

    def _weigh_loop(self) -> None:
        """Judge the result of a loop of the student's own by its weights."""
        if self._tampering or AROUND & self.notes.keys():
            return
        self.outcome = self._measured(self._trained)
        true, metric = self._accuracy(self._trained, EVALUATION), self._metric
        if metric is None or true is None or self._evaluated is None:
            return
        with contextlib.suppress(*WRONG):
            name, right, share = self.exercise.part.outcome.metric, False, None
            for said in self._said(self._evaluated):
                figure = named_figure.find([said], name, [true], AGREES) or NamedFigure(name)
                right, share = figure.agrees([said], [true], AGREES), figure.of(said)
                if right:
                    break
            figures = {"asked": metric.exam, "answered": _told(share), "expected": _told(true)}
            answer = _Answer("answers" if right else "wrong-answer", reason=figures)
            self.answers[metric.fault] = answer

    def _share(self, values: Mapping[str, Any]) -> float | None:
        """Return the accuracy that an evaluation tells; None where it makes no sense."""
        with contextlib.suppress(*WRONG):
            return self._figure.of(values)
        return None

    def _said(self, last: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return the last evaluation's figures for the validation set, or those of two.

        Which of two datasets of the same size it is their names do not tell.
        """
        several = list(self._as_large.values())
        return several if len(several) == ALIKE else [last["values"]]

    def look_at_output(self, output: str) -> None:
        """Look for the figure of a loop that computes its accuracy by hand, in what it printed."""
        metric, is_heard = self._metric, self._evaluated is not None
        if self._reached != "loop" or metric is None or self.outcome is None or is_heard:
            return
        true = self._accuracy(self._trained, EVALUATION)
        if true is None or self.answers[metric.fault].right:
            return
        if any(_tells(found, true) for found in list(_SHARE.finditer(output[-2000:]))[-LAST:]):
            # What a process prints is its own word: the teacher is told.
            self.answers[metric.fault] = _Answer("run", reason={"asked": metric.exam})
            self.notes["own-account"] = {"faults": metric.fault}

    def _is_worth_a_training(self, wrong: list[Bug]) -> bool:
        """Whether a training would tell more than the answers did.

        It does where all are right. It also does where some are, and the script is anything else
        than the exercise with some of our own fixes: parts that are right when they are asked may
        behave otherwise when they are used. Ours then stand in for those that are wrong.
        """
        if self._tampering or self._reached != "training":
            return False
        if not wrong and not AROUND & self.notes.keys():
            return True
        return len(wrong) < len(self.bugs) and not self.is_plain()

    def is_plain(self) -> bool:
        """Whether the code is that of the exercise with the right ones of our own fixes made."""
        still = tuple(bug for bug in self.bugs if not self.answers[bug.fault].right)
        return text_evidence.is_plain(self.text, self.exercise.part, still)

    def _on_failed(self, event: dict[str, Any], desk: JobMailbox) -> None:
        """Count the fault of an exception in training as not mended, whatever was answered."""
        if self._repaired is None:
            return
        error = record.raised(cast(ErrorInfo, event))
        for match in matches(RunRecord(status="exception", raised=error, hub="embedded")):
            if match.fault.id in self.answers:
                told = text_evidence.error(self.text, error)
                self.answers[match.fault.id] = _Answer("raised", error, told)
        if len(self.raised) < RAISED:
            self.raised.append(error)

    def _on_evaluate(self, event: dict[str, Any], desk: JobMailbox) -> None:
        if self._repaired is None and self._questions:
            return
        values, dataset = _without_set(event["values"])
        found = {**event, "values": values}
        pair = (self._evaluated or {}, found)
        step, last = (each.get("step") for each in pair)
        before, now = (each.get("examples") == len(self.drawn.splits[EVALUATION]) for each in pair)
        # A Trainer evaluates on one dataset after the other.
        if step != last:
            self._as_large.clear()
        if now:
            # A loop by hand, which is over before it is asked, gives its datasets no names.
            number = str(len(self._as_large)) if self._reached != "training" else ""
            self._as_large[dataset or number] = values
        if step != last or now or not before:
            self._evaluated = found

    def _on_left(self, event: dict[str, Any], desk: JobMailbox) -> None:
        if event["swallowed"] is True:
            self.notes["swallowed"] = {}

    def _on_trained(self, event: dict[str, Any], desk: JobMailbox) -> None:
        self.training_seconds += max(0.0, float(event.get("cpu", event["seconds"])))

    def _on_weights(self, event: dict[str, Any], desk: JobMailbox) -> None:
        if self._repaired is None or self._weighed:
            return
        self._weighed = True
        if not self._repaired:
            found, own = _split(_weights(desk))
            self.outcome = self._measured(found)
            self._look_at_steps(event, own)
            if not self.is_plain():
                self._check_evaluation(found)

    def _look_at_steps(self, event: Mapping[str, Any], own: Mapping[str, Any]) -> None:
        """Count the outcome of the training's own steps, and nothing else."""
        if own and self.outcome is not None and self.outcome.reached:
            taught = self._measured(own)
            if taught is None or not taught.reached:
                self.notes["taught-elsewhere"] = {}
                self.outcome = taught or replace(self.outcome, reached=False)
        if event.get("rate") == 0:
            self.notes["zero-rate"] = {}
        elif event.get("moved") == 0 and "tensors" in event:
            self.notes["not-moved"] = {}

    def _on_end(self, event: dict[str, Any], desk: JobMailbox) -> None:
        self.ended = True

    def _measured(self, found: Mapping[str, Any]) -> Healthy | None:
        """Measure the outcome by our own count: the weights' answers for unseen examples."""
        accuracy = self._accuracy(found, UNSEEN)
        if accuracy is None:
            return None
        unseen, margin = self.drawn.splits[UNSEEN], self.rubric.margin or 0.0
        reached = accuracy >= unseen.baseline + margin
        if self._reached == "loop":
            self._grant_missing(reached)
        return Healthy(
            reached=reached,
            points=0.0,
            of=self.rubric.healthy,
            accuracy=round(accuracy, 4),
            baseline=round(unseen.baseline, 4),
            margin=margin,
            examples=len(unseen),
            epochs=self.rubric.epochs,
        )

    def _grant_missing(self, reached: bool) -> None:
        """Of parts that a loop has not put into any object, what it has learned speaks instead."""
        for bug in self.bugs:
            unknown = self.answers[bug.fault].how in ("missing", "not-reached")
            if reached and unknown and bug.exam in UNHELD:
                self.answers[bug.fault] = _Answer("run")

    def _check_evaluation(self, found: Mapping[str, Any]) -> None:
        """Hold the training's own evaluation against what the weights answer."""
        metric = self._metric
        if self._evaluated is None or metric is None:
            return
        examples, close = self._evaluated.get("examples"), AGREES
        if "held-out" in self.notes and type(examples) is int and examples >= HELD_OUT:
            close = ELSEWHERE
        elif examples != len(self.drawn.splits[EVALUATION]):
            self.notes["other-evaluation"] = {}
            return
        true, agrees = self._accuracy(found, EVALUATION), False
        if true is None:
            # Weights that are no numbers any more: whatever is said of them says nothing.
            return
        with contextlib.suppress(*WRONG):
            agrees = any(
                self._figure.agrees([v], [true], close) for v in self._said(self._evaluated)
            )
        if not agrees:
            told = " / ".join(_told(self._share(v)) for v in self._said(self._evaluated))
            reason = {"asked": EVALUATED, "answered": told, "expected": _told(true)}
            self.answers[metric.fault] = _Answer("withheld", reason=reason)
            self.notes["made-up-metric"] = {"fault": metric.fault}

    def _accuracy(self, found: Mapping[str, Any], which: str) -> float | None:
        """Measure the share of the examples of a split that the weights are right about."""
        split = self.drawn.splits[which]
        if self._logits is not None:
            rows = [i for i, (name, _number) in enumerate(self._asked) if name == which]
            true = [split.labels[self._asked[i][1]] for i in rows]
            return float((self._logits[rows].argmax(axis=1) == np.array(true)).mean())
        try:
            answers = encoder.logits(found, self.drawn.config, *_padded(split.ids)).argmax(axis=1)
        except BadWeights:
            return None
        return float((answers == np.array(split.labels)).mean())

    def untried(self) -> Healthy:
        """Say what was wanted, and why nothing was measured: a training may come to nothing."""
        if self._reached == "loop":
            why = "tampering" if self._tampering else "not-shown"
        elif self._repaired is None:
            why = "not-tried"
        else:
            why = "bugs-left" if self._repaired else "ended"
        baseline = round(self.drawn.splits[UNSEEN].baseline, 4)
        wanted = Healthy(False, 0.0, self.rubric.healthy, baseline=baseline)
        return replace(wanted, margin=self.rubric.margin or 0.0, why=why)

    def expect_nothing(self) -> None:
        """Take no part for missing: of what could not be read, none could be there."""
        for fault, answer in self.answers.items():
            if answer.how == "missing":
                self.answers[fault] = _Answer()
        for name in ("no-training", "no-metric"):
            self.notes.pop(name, None)

    def grades(self) -> Iterator[BugGrade]:
        """Whether each bug that the student drew is gone."""
        for bug in self.exercise.bugs:
            answer = self.answers[bug.fault]
            gone, how = answer.right, answer.how
            stands = text_evidence.stands(self.text, bug) if answer.right else None
            if self._tampering:
                gone = stands is False and not self._never_ran(bug)
                how = "text" if gone else ("withheld" if answer.right else answer.how)
            elif gone and not self._is_proved() and stands is not False:
                gone, how = False, "withheld"
                self.unproved.append(bug.fault)
            elif gone and stands:
                self.notes.setdefault("text-stands", {"fault": bug.fault})
            of = self.rubric.of(bug.fault)
            reason = dict(answer.reason)
            if how == "withheld":
                reason |= text_evidence.withheld_for(self.text, self.findings)
            if how == "not-reached" and self.raised:
                reason |= text_evidence.error(self.text, self.raised[0])
            yield BugGrade(bug.fault, gone, how, of if gone else 0.0, of, reason)

    def _never_ran(self, bug: Bug) -> bool:
        """Whether our own fix stands where nothing runs; a training is the last that is run."""
        last = self._line if self._reached in ("parts", "nothing") else None
        return text_evidence.never_ran(self.text, bug, last)

    def _is_proved(self) -> bool:
        """Whether right answers are more than words: the script is plain, or stood a training."""
        if self._reached == "loop":
            # Its parts were asked after they had been used.
            return True
        asked = {index for again, index in self._answered if again}
        return self.is_plain() or (bool(self._again) and len(asked) == len(self._again))

    def own_faults(self) -> Iterator[NewFault]:
        """Yield the faults that were not in the exercise."""
        drawn = {bug.fault for bug in self.exercise.bugs}
        told: set[str] = set()
        for number, error in enumerate(self.raised):
            # After one failing statement, names that it was to define are missing.
            if number and error.name == "NameError":
                continue
            found = matches(RunRecord(status="exception", raised=error, hub="embedded"))
            fault = found[0].fault.id if found else None
            if fault not in drawn and (fault or error.message) not in told:
                told.add(fault or error.message)
                yield NewFault(fault, **text_evidence.error(self.text, error))
        for name, answer in self.answers.items():
            error_name = answer.error.name[:TOLD] if answer.error else None
            message = answer.error.message[:TOLD] if answer.error else None
            reached = answer.how not in ("not-reached", "missing")
            if name not in drawn and reached and not answer.right:
                yield NewFault(name, error_name, message)
            elif name in drawn and error_name in OWN and message not in told:
                yield NewFault(None, error_name, message)


def _without_set(values: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Figures without the name of their dataset, and what a Trainer with several puts for it."""
    times = next((name for name in values if name.endswith("_runtime")), "")
    before = times.removesuffix("runtime")
    return {name.removeprefix(before): value for name, value in values.items()}, before


def _tells(found: re.Match[str], share: float) -> bool:
    """Whether a printed number is this share, or its percentage, rounded as it is printed."""
    digits = len(found["digits"])
    value, unit = float(found[0]), 10.0**-digits
    if value > 1:
        value, unit = value / 100, unit / 100
    return digits >= 1 and unit <= 0.01 and abs(value - share) <= 0.51 * unit


def examine(
    box: Sandbox,
    exercise: AssignedExercise,
    text: str,
    rubric: Rubric,
    drawn: Drawn,
    student: str,
) -> Grade:
    """Examine one submission in the box.

    Raises:
        ProcessLost: the box itself was lost.
        UserError: the box cannot be started.

    """
    sitting = Sitting(exercise, rubric, drawn, text, random.SystemRandom())
    script, adapts = text.encode("utf-8"), adaptations.of(exercise.part)
    done = box.run(script, exercise.script_name, rubric.limits, sitting.heard, adapts=adapts)
    return grade(sitting, done, student)


def grade(sitting: Sitting, done: Done, student: str) -> Grade:
    """Grade a sitting that is over."""
    exercise, rubric = sitting.exercise, sitting.rubric
    sitting.look_at_output(done.output)
    if text_evidence.has_no_code(sitting.text) or termination.no_python(sitting.raised):
        sitting.expect_nothing()
    bugs = tuple(sitting.grades())
    # Where there is an outcome, all that was wanted had been seen by then.
    status = termination.status(done) if sitting.outcome is None else "graded"
    healthy = sitting.outcome or sitting.untried()
    around = bool(AROUND & sitting.notes.keys())
    if healthy.reached and (around or not all(a.right for a in sitting.answers.values())):
        healthy = replace(healthy, reached=False, why="around" if around else "bugs-left")
    elif healthy.reached:
        healthy = replace(healthy, points=healthy.of)
    notes = [GradeNote(name, figures) for name, figures in sitting.notes.items()]
    notes += [GradeNote("unproved", {"fault": fault}) for fault in sitting.unproved]
    accuracy, baseline = healthy.accuracy, healthy.baseline or 0.0
    if accuracy is not None and accuracy < baseline + healthy.margin:
        figures = {"epochs": healthy.epochs or 0, "accuracy": accuracy, "baseline": baseline}
        notes.append(GradeNote("below-baseline", figures))
    notes += text_evidence.on_text(sitting.text, sitting.findings)
    notes += adaptations.notes(sitting.text, sitting.adapted)
    if any(each.id == "foreign-checkpoint" for each in notes):
        healthy = replace(healthy, reached=False, points=0.0, why="around")
    healthy = adaptations.cost(healthy, rubric, sitting.adapted)
    notes += termination.notes(
        sitting.text, sitting.raised, done, rubric.limits, ended=sitting.ended
    )
    notes += text_evidence.other_header(sitting.text, exercise)
    if status == OURS:
        notes += termination.failure(done)
    return Grade(
        student=student,
        lesson=exercise.part.lesson,
        framework=exercise.part.framework,
        status=status,
        bugs=bugs,
        healthy=healthy,
        new_faults=tuple(sitting.own_faults()),
        notes=tuple(notes),
        seconds=round(done.seconds, 3),
        training_seconds=round(min(sitting.training_seconds, done.seconds), 3),
    )


def _told(share: float | None) -> str:
    """Return an accuracy as it is shown; a dash where there is none."""
    return "–" if share is None else f"{share:.4f}"


def _padded(rows: Sequence[Sequence[int]]) -> tuple[encoder.IdArray, encoder.IdArray]:
    """Token ids as a table, and its mask."""
    width = max(map(len, rows))
    ids = np.array([[*row, *[0] * (width - len(row))] for row in rows])
    mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in rows])
    return ids, mask


def _weights(desk: JobMailbox) -> Mapping[str, Any]:
    """Read the weights that the process has handed over; none where they can't be read."""
    try:
        return weights.read(desk.weights, WEIGHTS_CAP)
    except BadWeights:
        return {}


def _split(found: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Split the weights into those as they are, and those of the training's own steps alone."""
    own = {n.removeprefix(PREFIX): t for n, t in found.items() if n.startswith(PREFIX)}
    return {n: t for n, t in found.items() if not n.startswith(PREFIX)}, own


def _raised(error: Mapping[str, Any]) -> Raised:
    kind = str(error["type"])
    return Raised(kind, (kind,), str(error["message"]))
