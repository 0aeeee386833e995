"""Each invariant is broken by what breaks it, in a sentence of each language, and by no other."""

from collections.abc import Iterator
from string import Formatter
from typing import Any

import pytest

from course.base import i18n
from course.facts import record
from course.facts.facts import facts_of
from course.facts.text import with_uses
from course.invariants import judge
from course.invariants.rules import INVARIANTS
from course.judge import broken_rules, messages
from course.judge.script_verdict import judge_script
from course.lesson.catalogue import catalogue
from course.lesson.signature import SilentSignature
from course.render import script_blocks
from course.runs.record import Builder, RunRecord
from tests.ledgers import ASKED, PASSES, SEEN, STUDIED, event
from tests.vital_figures import FIGURES

MIXED = {"known": 50, "last_known": 50, "mixed": 5, "mixed_known": 50, "mixed_rows": 100}
KNOWN = {**SEEN, "known": 100, "last_known": 100, "all": 5}
END = {"known": 50, "last_known": 50, "mixed": 1, "mixed_known": 10, "mixed_rows": 20, "all": 2}
NEARLY = {**KNOWN, "rows": 1000, "known": 996, "last_known": 996, "last_rows": 1000}
KIN = [
    {"asked": 2, "trained": 1, "alike": 0.01, "numbers": 640}
    | {"unset": False, "rows": 100, "known": 0}
]
OFTEN = {"twins": 2000, "rarest": 0.4}
SLOW = {"moved": 1e-9}
HALVED = {**STUDIED, "graph": [{"op": "Div", "factor": 2.0}, *STUDIED["graph"]]}
HARDLY = {"losses": {"series": [[at, 0.7 - at / 1500 + at % 2 / 50] for at in range(200)]}}
BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("loss-is-a-number", {"losses": {"not_finite": 3, "first_not_finite": 5}}),
    (
        "better-than-guessing/falls",
        {"losses": {"series": [[at, 0.7 + at % 2 / 50] for at in range(200)]}},
    ),
    ("parameters-are-held", {"losses": {"loose": 2}}),
    ("gradients-are-fresh", {"gradients": {"left": 1.9}}),
    ("gradients-are-fresh", {"gradients": {"norm": 0.0, "absent": 4}}),
    ("gradients-come-through/all-zero", {"gradients": {"norm": 0.0, "added": 0.0}}),
    ("step-follows-backward", {"optimizers": {"idle": 150}}),
    ("steps-move-parameters", {"gradients": SLOW}),
    ("rate-is-steady/factor", {"optimizers": {"base": 0.4}}),
    ("rate-is-steady", {"optimizers": {"rates": [[at, 0.1**at] for at in range(1, 201)]}}),
    ("schedule-fits-training", {"schedules": {"calls": 4}}),
    ("schedule-fits-training", {"schedules": {"length": 4}}),
    ("schedule-fits-training/often", {"schedules": {"calls": 400}}),
    ("held-out-is-held-out", {"passes": {"seen": KNOWN}}),
    ("held-out-is-held-out", {"passes": {"seen": NEARLY}}),
    ("held-out-is-held-out", {"passes": {"seen": {**SEEN, **MIXED}}}),
    ("held-out-is-held-out", {"passes": {"seen": {**SEEN, **END}}}),
    ("evaluation-mode", {"passes": {"training": True, "dropping": 1}}),
    ("evaluation-mode", {"passes": {"norming": 1}, "networks": {"norms": 1}}),
    ("parameters-are-held", {"networks": {"frozen": 500, "drawn": 450}}),
    ("weights-are-kept", {"optimizers": {"class": "AdamW", "decay": 0.04}, **HARDLY}),
    ("parameters-are-held", {"optimizers": {"without": 24}}),
    ("memory-is-let-go", {"losses": {"graphs": 1.0}}),
    ("memory-is-let-go", {"passes": {"grad": True, "graphs": 9}}),
    ("loads-change-weights", {"loads": {"own": 1}}),
    ("loads-change-weights", {"loads": {"unfit": 1}}),
    ("held-out-is-held-out", {"passes": {"seen": KNOWN}, "networks": OFTEN}),
    ("norms-are-of-training", {"networks": {"momentum": 0.9, "norms": 1}}),
]
BAD = [[at, 0.7 + at / 100] for at in range(200)]
COMPARED = {"answers": [100], "targets": [100], "made": [100]}
BROKEN_STUDIES: list[tuple[str, dict[str, Any]]] = [
    ("training-mode/most-dropped", {"modes": {**STUDIED["modes"], "most": 0.9}}),
    ("loss-pairs-rows/unpaired", {"target_moves": [1e-8]}),
    ("loss-pairs-rows/rows-apart", {"rows_apart": [0.9, 12.0], "known": [0.66, 0.7]}),
    ("loss-pairs-rows/pairs", {"spread": [1.0, 1.0], "met_by": [[16, 16]]}),
    (
        "loss-pairs-rows/pairs",
        {"graph": [{"op": "MseLoss"}, {"op": "Expand", "shape": [16, 16]}]},
    ),
    ("classes-are-one-axis", {"class_axis": {"found": [1, 2], "fitting": [1]}}),
    ("loss-leads-to-labels/upside-down", {"curvature": [-1.0, -1.0]}),
    (
        "loss-leads-to-labels/no-logarithms",
        {"graph": [{"op": "NllLoss"}, {"op": "Sub"}], "log_sum": 1.7},
    ),
    ("loss-leads-to-labels/out-of-reach", {"lowest": [0.5, 0.0]}),
    (
        "loss-leads-to-labels/twice",
        {
            "graph": [
                {"op": "NllLoss", "before": []},
                {"op": "LogSoftmax", "before": [0]},
                {"op": "View", "before": [1]},
                {"op": "Softmax", "before": [2]},
            ]
        },
    ),
    ("loss-leads-to-labels/twice", {"chances_given": True}),
    (
        "loss-leads-to-labels/relu",
        {
            "graph": [
                {"op": "NllLoss", "before": []},
                {"op": "LogSoftmax", "before": [0]},
                {"op": "Relu", "before": [1]},
            ]
        },
    ),
    ("loss-leads-to-labels/flat", {"curvature": [0.0, 0.0], "target_moves": [0.0], "reach": None}),
    ("loss-leads-to-labels/raw", {"graph": [{"op": "NllLoss"}, {"op": "View"}]}),
    (
        "loss-leads-to-labels/raw",
        {
            "graph": [
                {"op": "Add", "before": []},
                {"op": "NllLoss", "before": [0]},
                {"op": "Softmax", "dim": 1, "before": [1]},
            ]
        },
    ),
    ("loss-leads-to-labels/itself", {"own_wins": 1.0}),
    ("loss-leads-to-labels/narrow", {"best_left": 0.98, "bound": 0.05}),
    ("noise-is-as-large-as-told", {"as_deviations": 1}),
    ("loss-leads-to-labels/several", {"labels_of_a_row": 3}),
    ("loss-leads-to-labels/signs", {"zeros_for_signs": 0.4}),
    ("loss-pairs-rows/column", {"rows_by_rows": 16}),
    ("loss-leads-to-labels/divergence", {"kl_log_sum": 0.4}),
    ("loss-leads-to-labels/divergence-target", {"kl_below": 2.3}),
    ("gradients-come-through/term", {"lost_terms": 1}),
    ("gradients-come-through/detached", {"cut_off": 2}),
    ("gradients-come-through/unused", {"dead_ends": 1}),
    ("gradients-come-through/cut", {"cut": [0.5, 0.1]}),
    ("gradients-come-through/own", {"own_slopes": 1}),
    ("gradients-come-through/zeros", {"held_at_zero": 2}),
    ("loss-leads-to-labels/ignored", {"ignored_share": 1.0}),
    ("choices-are-several", {"softmax_of_one": 1, "along": [[0.0, 0.5], [0.01, 0.5], [1.0, 0.5]]}),
    ("choices-are-several", {"softmax_of_one": 1, "pooled_by_one": 1}),
    ("later-is-unseen/same", {"places_ahead": 0}),
    ("rows-stand-alone", {"rows_move_evaluation": 0.2}),
    ("rows-stand-alone", {"rows_move_evaluation": 0.01, "rows_normed": 0}),
    ("rows-stand-alone/place", {"places_move": 0.5, "answers_lost": 0.5, "known": [0.6, 0.7]}),
    ("rows-keep-labels/elsewhere", {"places_move": 0.5, "known": [0.7, 0.7]}),
    ("later-is-unseen/seen", {"later_moves": 0.5}),
    ("later-is-unseen/target", {"targets_held": 1}),
    ("later-is-unseen/masked", {"labels_of_mask": True}),
    ("gradients-come-through/weight", {"weighted": True}),
    ("later-is-unseen/unmasked", {"unmasked": 0.8}),
    ("later-is-unseen/shifted", {"places_ahead": 2}),
    ("later-is-unseen/shifted", {"places_ahead": 1, "later_moves": 0.0, "own_moves": 0.0}),
    ("padding-counts-for-nothing/answers", {"padding_moves": 0.1}),
    ("padding-counts-for-nothing/loss", {"padding_in_loss": 0.5}),
    ("padding-counts-for-nothing/only", {"padding_only": True}),
    ("padding-counts-for-nothing/ends", {"ends_left_out": 1.0}),
    ("padding-counts-for-nothing/upside-down", {"words_hidden": 1}),
    ("inputs-are-read", {"columns": [[[16, 8], 2.0, False], [[16, 8], 0.0, False]]}),
    ("inputs-are-read/half", {"half_unseen": True}),
    ("layers-add-something", {"layers_in_one": 1}),
    ("inputs-are-read/none", {"columns": [[[16, 8], 0.0, False]]}),
    ("better-than-guessing/constant", {"known": [1.4, 3.0]}),
    (
        "steps-move-parameters/short",
        {"along": [[0.0, 0.6], [0.01, 0.6], [1.0, 0.59999], [100.0, 0.599]]},
    ),
    ("evaluation-mode/function", {"modes": {"evaluation": 0.3, "dropped": 2}}),
    (
        "score-along-classes/axis",
        {"chosen": [{"op": "argmax", "shape": [100, 2], "axis": 0}]},
    ),
    (
        "score-along-classes/lowest",
        {"chosen": [{"op": "argmin", "shape": [100, 2], "axis": 1}]},
    ),
    (
        "score-along-classes/limit",
        {"graph": [{"op": "BinaryCrossEntropy"}], "limits_of": [[0.0, 0.1, 0.9, 1.0]]},
    ),
    (
        "choices-are-several/answers",
        {"chosen": [{"op": "softmax", "shape": [100, 1], "axis": 1}]},
    ),
    ("score-beats-chance", {"compared": [{**COMPARED, "agree": [0.46, 0.48]}]}),
    ("loss-is-a-number/answers", {"finite": False}),
    ("score-beats-chance/loss", {"losses": [[0.71, 0.7]]}),
    (
        "score-along-classes/spread",
        {"compared": [{"answers": [100, 1], "targets": [100], "made": [100, 100]}]},
    ),
]
TEXTS = {
    "best-is-kept/in-text": """
if accuracy < best_accuracy:
    best_accuracy = accuracy
    torch.save(net.state_dict(), path)
""",
    "best-is-kept/plateau": """
schedule = ReduceLROnPlateau(optimizer)
schedule.step((answers == kinds).float().mean())
""",
    "inputs-are-alike/own-figures": """
x_train, x_test = scaler.fit_transform(x_train), scaler.fit_transform(x_test)
""",
    "scores-rank-rows": """
answers = (net(points).sigmoid() > 0.5).int()
roc_auc_score(kinds, answers)
""",
    "numbers-stay-in-range": """
images = (forms * 255).astype(np.uint8)
moved = np.abs(images[1:] - images[:-1])
""",
    "steps-go-on/state": """
cell = nn.GRUCell(4, 8)
for place in range(9):
    states.append(cell(points[:, place]))
""",
    "rows-keep-labels": """
random.shuffle(texts)
pairs = list(zip(texts, labels))
loss.backward()
""",
    "rows-keep-labels#crossed": """
first, second, labels, others = train_test_split(points, kinds)
rows = TensorDataset(torch.tensor(first), torch.tensor(others))
loss.backward()
""",
    "rows-keep-labels#items": """
class Rows(Dataset):
    def __len__(self):
        return len(self.points)

    def __getitem__(self, index):
        return self.points[index], self.kinds[index - 1]
""",
    "rows-keep-labels/words": """
for tags in kinds:
    for place in made.word_ids(0):
        found.append(tags[place + 1])
""",
    "figures-are-of-training": """
order = torch.randperm(len(points))
middle, width = points.mean(0), points.std(0)
shown, kept = points[order[:90]], points[order[90:]]
""",
    "score-is-of-all/last": "\n" * 18
    + """for points, kinds in loader:
    answers = net(points).argmax(1)
    right = (answers == kinds).float().mean()
print(right)
""",
    "score-along-classes/lowest-in-text": """
def score(logits, kinds):
    return (logits.argmin(-1) == kinds).mean()
""",
    "score-along-classes/lowest-in-text#rows": """
def recall(rows, kinds):
    alike = rows @ rows.T
    found = alike.topk(3, largest=False).indices
    return (kinds[found] == kinds).mean()
""",
    "score-knows-labels": """
def measure(pair):
    return recall_score(pair.predictions.argmax(-1), pair.label_ids)
""",
    "gradients-are-clipped": """
some = filter(lambda p: p.requires_grad, net.parameters())
optimizer = torch.optim.SGD(some, lr=0.1)
clip_grad_norm_(some, 1.0)
""",
    "gradients-are-clipped/late": """
for rows, kinds in batches:
    optimizer.zero_grad()
    score(net(rows), kinds).backward()
    optimizer.step()
    clip_grad_norm_(net.parameters(), 1.0)
""",
    "rows-keep-labels/turned": """
def change(picture, outline):
    picture, outline = picture.flip(-1), outline.flip(-2)
    return picture, outline
""",
    "rows-keep-labels/mixed": """
rows = torch.randperm(len(points))
loss = score(net(0.7 * points + 0.3 * points[rows]), kinds[torch.randperm(len(kinds))])
""",
    "gradients-are-of-the-mean/divergence": """
loss = cross_entropy(answers, kinds) + kl_div(answers.log_softmax(1), taught.softmax(1))
""",
    "results-are-used/state": """
state, cell = torch.zeros(9), torch.zeros(9)
for each in points:
    state, cell = layer(each, (state, others))
""",
    "score-is-of-all/batches": "\n" * 17
    + """loader = DataLoader(rows)
for points, kinds in loader:
    scores.append(f1_score(kinds, net(points).argmax(1)))
""",
    "score-is-of-all/itself": "print(accuracy_score(kinds, kinds))\n",
    "all-data-is-seen/early": "\n" * 17
    + """def right(net, loader):
    for points, kinds in loader: count += (net(points) == kinds).sum(); return count
""".replace("; ", "\n        ").replace("loader: ", "loader:\n        "),
    "all-data-is-seen/at-once": "\n" * 10
    + """for start in range(0, len(points), 16):
    rows = points[start : start + 16]
    loss.backward()
    if start == 0:
        break
""",
}
"""Texts that break a rule; where several do, each has a word behind it."""
GATHERING = """
accelerator = Accelerator(gradient_accumulation_steps=2)
for batch in loader:
    with accelerator.accumulate(net):
        loss = net(**batch).loss
        {sent}
"""
STUDIED_FACTS = {
    "step.last_to_targets",
    "step.of_classes",
    "step.targets_finite",
}
"""Facts that a healthy training of classes with PyTorch does not have, and of lines of a text."""


EACH_LANGUAGE = pytest.mark.usefixtures("language")


@pytest.fixture(params=["en", "zh", "ru"])
def language(request: pytest.FixtureRequest) -> Iterator[None]:
    i18n.activate(request.param)
    yield
    i18n.activate(i18n.SOURCE)


def ids(found: dict[str, Any]) -> list[str]:
    return [each.invariant for each in judge.broken_in(found)]


def rules(found: dict[str, Any]) -> list[str]:
    return [each.rule for each in judge.broken_in(found)]


def test_a_healthy_training_breaks_none() -> None:
    assert ids(event()) == []


@pytest.mark.parametrize(("invariant", "changes"), BROKEN)
@EACH_LANGUAGE
def test_what_breaks_an_invariant(invariant: str, changes: dict[str, Any]) -> None:
    found, *others = judge.broken_in(event(**changes))
    assert invariant in (found.invariant, found.rule)
    assert {each.invariant for each in others} <= {found.invariant}
    assert "{" not in found.evidence
    assert all(value == value for value in found.figures.values())


@pytest.mark.parametrize(("rule", "changes"), BROKEN_STUDIES)
@EACH_LANGUAGE
def test_what_a_study_finds_broken(rule: str, changes: dict[str, Any]) -> None:
    (found,) = judge.broken_in(event(studies={"found": {**STUDIED, **changes}}))
    assert found.rule == rule
    assert "{" not in found.evidence


OFF = {"training": True, "dropping": 1}
TINY = {"gradients": {"moved": 1e-9}, "optimizers": {"rates": [[at, 1e-9] for at in range(200)]}}
WILD = {"studies": {"found": {**STUDIED, "along": [[0.0, 0.6], [0.01, 0.6], [1.0, 900.0]]}}}
LOST = {"series": [[at, 900.0] for at in range(200)]}


@pytest.mark.parametrize(
    ("rule", "changes", "rest", "is_settled"),
    [
        ("loss-is-a-number", {"losses": {"not_finite": 1, "first_not_finite": 5}}, {}, True),
        ("parameters-are-held/loose", {"losses": {"loose": 2}}, {}, True),
        ("parameters-are-held/loose", {"losses": {"loose": 2, "unstepped": 1}}, {}, False),
        # A rate may go up by hand, from next to nothing.
        ("steps-move-parameters", TINY, {"schedules": []}, False),
        # An evaluation takes several passes; a teacher one beside each step from now on.
        ("evaluation-mode/dropout", {"passes": OFF}, {}, True),
        ("evaluation-mode/dropout", {"passes": {**OFF, "aside": 1}}, {}, False),
        ("evaluation-mode/dropout", {"passes": {**OFF, "aside": 1}}, {"backwards": 202}, True),
        (
            "evaluation-mode/batch-norm",
            {"passes": {"norming": 1, "aside": 1}, "networks": {"norms": 1}},
            {},
            False,
        ),
        # Steps that are too long at first may be the begin of a training that ends well.
        ("steps-lower-loss", {**WILD, "losses": LOST}, {"schedules": []}, True),
        ("steps-lower-loss", {**WILD, "losses": {"series": BAD}}, {"schedules": []}, False),
        ("steps-lower-loss", {**WILD, "losses": LOST}, {}, False),
        (
            "loss-pairs-rows/pairs",
            {
                "studies": {"found": {**STUDIED, "spread": [1.0, 1.0], "met_by": [[16, 16]]}},
                "losses": {"series": BAD},
            },
            {},
            False,
        ),
    ],
)
def test_what_the_rest_of_a_run_can_mend(
    rule: str, changes: dict[str, Any], rest: dict[str, Any], *, is_settled: bool
) -> None:
    found = {**event(**changes), **rest}
    found["optimizers"][0]["steps"] = found["steps"]
    (told,) = [each for each in judge.broken_in(found) if each.rule == rule]
    assert told.settled is is_settled


@pytest.mark.parametrize(
    ("text", "losses", "is_settled"),
    [
        ("optim.SGD(head)", {"drawn": 1}, True),
        # Layers that have learned, one that waits, others that are to come.
        ("optim.SGD(head)", {}, False),
        ("optim.SGD(head)", {"drawn": 1, "unstepped": 1}, False),
        ("optim.SGD(head); optim.Adam(body)", {"drawn": 1}, False),
        ("optim.SGD(head).add_param_group(body)", {"drawn": 1}, False),
        ("", {"drawn": 1}, False),
    ],
)
def test_a_later_optimizer_may_hold_the_others(
    text: str, losses: dict[str, Any], *, is_settled: bool
) -> None:
    found = {**event(losses={"loose": 2, **losses}), "steps": 3}
    found["optimizers"][0]["steps"] = 3
    told = judge.broken(with_uses(text, facts_of(record.read(found))))
    settled = [each.settled for each in told if each.rule == "parameters-are-held/loose"]
    assert settled == [is_settled]


@pytest.mark.parametrize(
    ("text", "is_settled"),
    [
        ("loss.backward()", True),
        ("loss.backward(); helper(optimizer.step)", False),
        ("loss.backward(); net.weight.data -= net.weight.grad", False),
        ("learn(loss)", False),
    ],
)
def test_a_text_that_never_steps(text: str, *, is_settled: bool) -> None:
    """Many batches may be gathered before the first step, which may be made elsewhere."""
    found = event(losses={"hand_looks": 3, "count": 10})
    found |= {"steps": 0, "optimizers": [], "gradients": []}
    facts = with_uses("\n" * 12 + text, facts_of(record.read(found)))
    (told,) = judge.broken(facts)
    assert (told.rule, told.settled) == ("step-follows-backward/no-step", is_settled)


@pytest.mark.parametrize(("rows", "is_settled"), [(16, True), (3, False)])
def test_small_batches_of_one_class_may_be_so_by_chance(rows: int, *, is_settled: bool) -> None:
    found = event()
    for number, each in enumerate(found["studies"][:2]):
        each["found"] = {"only_class": number, "labels": [[number, rows]]}
    (told,) = judge.broken_in(found)
    assert (told.rule, told.settled) == ("batches-are-mixed", is_settled)


def test_labels_that_are_not_learned_and_batches_of_one_class() -> None:
    flat = {"series": [[at, 0.7 + at % 2 / 50] for at in range(200)]}
    same = {"found": {**STUDIED, "known": [0.69, 0.69]}}
    assert {each.rule for each in judge.broken_in(event(studies=same, losses=flat))} == {
        "better-than-guessing",
        "better-than-guessing/falls",
    }
    sorted_rows = event()
    for number, each in enumerate(sorted_rows["studies"][:2]):
        each["found"] = {"only_class": number}
    assert ids(sorted_rows) == ["batches-are-mixed"]


def test_series_of_their_own_lengths_are_no_rows() -> None:
    for flat, sizes, is_broken in ((True, 3, False), (True, 2, True), (False, 3, True)):
        mixed = {"found": {**STUDIED, "rows_move_evaluation": 0.5, "flat": flat}}
        found = event(studies=mixed)
        found["passes"][0]["sizes"] = sizes
        assert ids(found) == ["rows-stand-alone"] * is_broken


def test_labels_are_hardly_learned_where_most_is_frozen() -> None:
    little = {"studies": {"found": {**STUDIED, "known": [0.63, 0.7]}}, "losses": {"series": BAD}}
    rule = "better-than-guessing/frozen"
    for numbers, is_broken in ((700, True), (0, False), (738, False)):
        found = judge.broken_in(event(**little, networks={"frozen": numbers}))
        assert (rule in {each.rule for each in found}) is is_broken


@pytest.mark.parametrize(("end", "is_broken"), [(0.45, True), (0.2, False)])
def test_one_step_that_loses_all_where_the_training_does_not_end_well(
    end: float, is_broken: bool
) -> None:
    along = [[0.0, 0.6], [0.01, 0.59], [1.0, 70.0], [10.0, 500.0]]
    studied = {"found": {**STUDIED, "along": along}}
    series = [[at, 0.7 - (0.7 - end) * at / 200] for at in range(200)]
    found = judge.broken_in(event(studies=studied, losses={"series": series}))
    assert ["steps-lower-loss"] * is_broken == [each.rule for each in found]


def test_targets_a_few_units_apart_are_in_reach_of_small_outputs() -> None:
    along = [[0.0, 0.5], [0.01, 0.49999], [1.0, 0.4999], [100.0, 0.4], [1000.0, 0.6]]
    for apart, is_broken in ((0.9, True), (500.0, False)):
        studied = {"found": {**STUDIED, "along": along, "spread": [0.05 * apart, apart]}}
        assert ids(event(studies=studied)) == ["steps-move-parameters"] * is_broken


@pytest.mark.parametrize(
    ("rule", "along"),
    [
        ("steps-lower-loss", [[0.0, 0.6], [0.01, 0.59], [1.0, 7.0], [10.0, 500.0]]),
        ("steps-lower-loss", [[0.0, 0.6], [0.01, 0.59], [1.0, 0.72], [10.0, 0.9]]),
        ("steps-lower-loss/first", [[0.0, 90.0], [0.01, 89.0], [1.0, 88.0], [10.0, 95.0]]),
    ],
)
def test_steps_that_are_too_long_where_the_training_ends_badly(rule: str, along: Any) -> None:
    studied = {"found": {**STUDIED, "along": along}}
    assert ids(event(studies=studied)) == []
    found = judge.broken_in(event(studies=studied, losses={"series": BAD}))
    assert rule in {each.rule for each in found}


@EACH_LANGUAGE
def test_a_training_that_is_over_after_a_few_steps() -> None:
    def few(**changes: Any) -> dict[str, Any]:
        series = [[at, 0.7 - at / 100] for at in range(10)]
        found = event(optimizers=changes, losses={"series": series, "begin": []})
        return {**found, "steps": 10, "backwards": 10}

    (found,) = judge.broken_in(few())
    assert found.rule == "steps-are-enough"
    assert "10" in found.evidence
    # A run that was ended may have gone on; one step of LBFGS is many.
    assert ids({**few(), "over": False}) == []
    assert ids(few(closures=10)) == []
    assert ids({**few(), "steps": 30}) == []


def test_what_was_drawn_and_frozen_may_be_enough() -> None:
    frozen = {"frozen": 500, "drawn": 450}
    good = [[at, 0.7 / (1 + at)] for at in range(200)]
    assert ids(event(networks=frozen)) == ["parameters-are-held"]
    assert ids(event(networks=frozen, losses={"series": good})) == []
    found = event(networks=frozen)
    found["passes"][0] = {**PASSES, "training": False, "dropping": 0}
    assert ids(found) == ["parameters-are-held"]


def test_worker_processes_that_all_give_the_same_batches() -> None:
    found = event(networks={"followed": 150, "followed_alike": 75})
    assert ids(found) == []
    assert rules({**found, "workers": 2}) == ["all-data-is-seen/workers"]
    # Two losses of one batch are sent for one step.
    assert rules({**found, "workers": 2, "backwards": 400}) == []


def test_folds_that_begin_with_what_another_fold_has_learned() -> None:
    found = event(networks={"carried": 3}, passes={"seen": {**SEEN, "earlier": 75}})
    assert rules(found) == ["held-out-is-held-out/earlier"]
    assert rules(event(passes={"seen": {**SEEN, "earlier": 75}})) == []
    text = "for shown, kept in KFold(4).split(points):\n    fit(net, shown)\n"
    assert broken_by(event(networks={"carried": 3}), text) == ["training-begins-anew"]
    # Two stages are of one fold.
    assert broken_by(event(networks={"carried": 1}), text) == []
    in_time = text.replace("KFold", "TimeSeriesSplit")
    assert broken_by(event(networks={"carried": 3}), in_time) == []


@pytest.mark.parametrize(
    ("name", "highest", "values", "is_broken"),
    [
        ("accuracy", False, [0.6, 0.9, 0.8], True),
        ("eval_loss", True, [0.6, 0.9, 0.8], True),
        ("accuracy", True, [0.6, 0.9, 0.8], False),
        ("loss", False, [0.6, 0.9, 0.8], False),
        ("margin", False, [0.6, 0.9, 0.8], False),
        ("accuracy", False, [0.9, 0.9], False),
    ],
)
def test_the_direction_in_which_a_trainer_chooses(
    name: str, highest: bool, values: list[float], is_broken: bool
) -> None:
    found = {**event(), "choices": [{"name": name, "highest": highest, "values": values}]}
    assert rules(found) == ["best-is-kept"] * is_broken


@pytest.mark.parametrize(
    ("said", "is_broken"), [(0.69, True), (0.73, True), (0.94, False), (94.1, False), (0.3, False)]
)
def test_an_accuracy_that_is_none_of_those_counted(said: float, *, is_broken: bool) -> None:
    told = {"name": "eval_accuracy", "said": said, "counted": [0.945, 0.31, 0.73], "answers": 2000}
    assert rules({**event(), "said": [told]}) == ["score-is-of-all/said"] * is_broken
    assert rules({**event(), "said": [{**told, "answers": 8}]}) == []
    # Positions without a label are divided by as well.
    told["counted"] = [*told["counted"], said, 0.2]
    assert rules({**event(), "said": [told]}) == ["score-is-of-all/ignored"] * is_broken


def test_a_loss_is_divided_twice_by_the_batches_of_a_step() -> None:
    twice = [{"op": "Div", "factor": 4.0}, {"op": "Mul", "factor": 0.25}, *STUDIED["graph"]]
    for backwards, is_broken in ((800, True), (400, False), (200, False)):
        found = {**event(studies={"found": {**STUDIED, "graph": twice}}), "backwards": backwards}
        assert rules(found) == ["gradients-are-of-the-mean/twice"] * is_broken


def test_no_step_at_all() -> None:
    found = event(losses={"hand_looks": 3})
    found |= {"steps": 0, "optimizers": [], "gradients": []}
    assert ids(found) == ["step-follows-backward"]


def test_a_training_in_evaluation_mode() -> None:
    found = event()
    found["passes"][0] = {**PASSES, "training": False, "dropping": 0}
    assert ids(found) == ["training-mode"]


def test_another_network_is_asked() -> None:
    found = event(passes={"network": 2})
    found["networks"].append({**found["networks"][0], "id": 2, "held": False, "rows": 0})
    found["kin"] = KIN
    assert ids(found) == ["evaluated-is-trained"]
    found["kin"] = [{**KIN[0], "alike": 0.95}]
    assert ids(found) == []
    # A copy is asked about rows that the trained one knows, or has no statistics of its own.
    found["kin"] = [{**KIN[0], "alike": 0.95, "known": 100}]
    assert ids(found) == ["held-out-is-held-out"]
    found["kin"] = [{**KIN[0], "alike": 0.95, "unset": True}]
    assert ids(found) == ["norms-are-of-training"]


@pytest.mark.parametrize(("columns", "is_broken"), [(16, True), (1, False)])
def test_one_of_several_terms_compares_all_pairs(columns: int, *, is_broken: bool) -> None:
    """The sum falls by the other terms, so its end tells nothing."""
    graph = [
        {"op": "Add", "shape": [], "before": []},
        {"op": "NllLoss", "shape": [], "before": [0]},
        {"op": "MseLoss", "shape": [], "before": [0]},
        {"op": "LogSoftmax", "shape": [16, 2], "before": [1]},
        {"op": "Expand", "shape": [16, columns], "before": [2]},
    ]
    found = event(studies={"found": {**STUDIED, "graph": graph}})
    assert rules(found) == ["loss-pairs-rows/pairs"] * is_broken


def copied(**changes: Any) -> dict[str, Any]:
    """Return a training beside which a network is asked that is still as chance has made it."""
    found = event(passes={"network": 2, **changes})
    drawn = {"held": False, "rows": 0, "drawn": 738, "still": True}
    found["networks"].append({**found["networks"][0], "id": 2, **drawn})
    found["kin"] = [{**KIN[0], "alike": 0.95}]
    return found


def test_a_copy_of_the_network_before_its_training_is_asked() -> None:
    """It is evaluated, or gives the targets of each step: a copy that has learned may stay."""
    often = {"stretches": 200, "first": 0, "last": 199}
    for changes, broken in (({}, "evaluated-is-trained"), (often, "targets-follow-network")):
        found = copied(**changes)
        assert ids(found) == [broken]
        for healthy in ({"still": False}, {"drawn": 0}):
            other = {**found, "networks": [found["networks"][0]]}
            other["networks"].append({**found["networks"][1], **healthy})
            assert ids(other) == []


def test_a_frozen_copy_within_a_network_is_never_updated() -> None:
    assert ids(event(networks={"stale": 1})) == ["targets-follow-network"]
    assert ids(event(networks={"stale": 0})) == []


def test_a_teacher_has_nothing_of_what_was_trained_for_it() -> None:
    often = {"aside": 100, "stretches": 100, "first": 100, "last": 199}
    found = copied(**often)
    found["networks"].append({**found["networks"][0], "id": 3})
    found["passes"][0]["last"] = 99
    found["passes"].append({**PASSES, "network": 3, "first": 100, "last": 199})
    found["kin"] = [{**KIN[0], "alike": 0.01}]
    assert rules(found) == ["loads-change-weights/teacher"]
    # A copy of it is a teacher, but for its dropout.
    found["kin"] = [{**KIN[0], "alike": 1.0}]
    found["networks"][1]["drawn"] = 0
    assert rules(found) == []
    found["passes"][1] |= {"training": True, "dropping": 1}
    assert rules(found) == ["evaluation-mode/teacher"]
    found["passes"][1] |= {"dropping": 0, "norming": 1}
    found["networks"][1]["norms"] = 1
    assert rules(found) == ["evaluation-mode/teacher-norms"]


def test_a_teacher_says_beforehand_what_another_one_is_to_learn() -> None:
    """A copy of what was trained, as from a file, which is asked about each row once."""
    found = copied(aside=6, stretches=1, first=100, last=100, aside_rows=100, training=True)
    found["passes"][0]["last"] = 99
    found["networks"][1]["drawn"] = 0
    found["networks"].append({**found["networks"][0], "id": 3, "distinct": 100})
    found["passes"].append({**PASSES, "network": 3, "first": 100, "last": 199})
    found["passes"][1]["dropping"] = found["passes"][1]["modes"]
    assert rules(found) == ["evaluation-mode/teacher-first"]
    for network, place, changes in (
        (1, 1, {"aside_rows": 1000}),
        (1, 2, {"first": 10}),
        (1, 1, {"training": False, "dropping": 0}),
    ):
        other = {**found, "passes": [{**each} for each in found["passes"]]}
        other["passes"][place] |= changes
        assert "evaluation-mode/teacher-first" not in rules(other), network


def test_a_softmax_of_rows_before_a_loss_of_classes() -> None:
    """Rows may be picked in between; along the classes it is right."""
    for axis, is_wrong in ((0, True), (1, False)):
        graph = [
            {"op": "NllLoss", "shape": [], "before": []},
            {"op": "Index", "shape": [16, 2], "before": [0]},
            {"op": "LogSoftmax", "shape": [100, 2], "dim": axis, "before": [1]},
        ]
        found = event(studies={"found": {**STUDIED, "graph": graph}})
        assert ("classes-are-one-axis" in rules(found)) is is_wrong


def test_few_rows_that_all_come_often_are_known_by_chance() -> None:
    """So are those of a few numbers, as users are, and those of which some are new."""
    seldom = {"passes": {"seen": KNOWN}, "networks": OFTEN}
    assert ids(event(**seldom)) == ["held-out-is-held-out"]
    assert ids(event(**{**seldom, "networks": {**OFTEN, "rarest": 0.01}})) == []
    assert ids(event(**{**seldom, "passes": {"seen": KNOWN, "shapes": [[16, 1]]}})) == []
    some = {**KNOWN, "known": 90, "last_known": 90}
    assert ids(event(**{**seldom, "passes": {"seen": some}})) == []


def test_two_evaluations_in_one_go_are_no_mixture() -> None:
    """Nor is one of rows that are still to be trained on."""
    assert ids(event(passes={"seen": {**SEEN, **END, "mixed": 0, "mixed_known": 0}})) == []
    assert ids(event(passes={"seen": {**SEEN, **END}, "first": 2, "last": 2})) == []


def test_the_same_few_rows_again_and_again() -> None:
    found = event(networks={"distinct": 16, "twins": 1500})
    assert ids(found) == ["all-data-is-seen"]
    assert ids(event(networks={"distinct": 16})) == []


def test_a_teacher_beside_each_step_is_no_evaluation() -> None:
    beside = {"stretches": 200, "first": 0, "last": 199, "training": True, "dropping": 1}
    assert ids(event(passes=beside)) == []
    # The loss that follows such a pass is the training's own.
    studied = {"found": {**STUDIED, "losses": [[0.71, 0.7]]}}
    assert ids(event(studies=studied)) == ["score-beats-chance"]
    assert ids(event(studies=studied, passes=beside)) == []


def test_a_teacher_that_has_learned_before_drops_nothing() -> None:
    asked = {"aside": 100, "stretches": 100, "first": 200, "last": 299, "training": True}
    found = event(passes={**asked, "dropping": 1})
    found["passes"].append({**found["passes"][0], "network": 2, "first": 200, "last": 299})
    assert "evaluation-mode/teacher" in rules(found)
    # It goes on learning, is asked several times a step, or of other rows.
    for place, changes in ((0, {"last": 250}), (1, {"aside": 300}), (2, {"shapes": [[16, 9]]})):
        other = {**found, "passes": [{**each} for each in found["passes"]]}
        other["passes"][place] |= changes
        assert "evaluation-mode/teacher" not in rules(other)


def of_labels(trained: Any, evaluated: Any, end: Any, **more: float) -> list[str]:
    """The rules that are broken where batches have these labels: each with its number of rows."""
    found = event()
    for each in found["studies"]:
        changes = {"labels": trained} if each["kind"] == "step" else {"labels": evaluated, **more}
        each["found"] = {**each["found"], **changes}
    last = {**found["studies"][-1], "kind": "end"}
    found["studies"].append({**last, "found": {**last["found"], "labels": end}})
    return [each.rule for each in judge.broken_in(found)]


EVEN = [[0, 20], [1, 20], [2, 20]]


@EACH_LANGUAGE
@pytest.mark.parametrize(
    ("given", "rules"),
    [
        ((EVEN, EVEN, EVEN), []),
        ((EVEN, [[2, 60]], [[2, 60]]), ["evaluation-has-labels"]),
        # Most of the rows that there are.
        ((EVEN, [[2, 30]], [[2, 30]]), ["evaluation-has-labels/small"]),
        ((EVEN, [[2, 20]], [[2, 20]]), []),
        # Rows that are sorted, or few, or mostly so in the training, too.
        ((EVEN, [[0, 60]], [[2, 60]]), []),
        ((EVEN, [[2, 9]], [[2, 9]]), []),
        (([[0, 1], [2, 999]], [[2, 400]], [[2, 400]]), []),
        (([[1, 20]], EVEN, EVEN), ["batches-are-mixed/one"]),
        (([[1, 20]], [[1, 60]], [[1, 60]]), []),
        (([[3, 20]], EVEN, EVEN), []),
    ],
)
def test_labels_of_batches(given: tuple[Any, Any, Any], rules: list[str]) -> None:
    assert of_labels(*given) == rules


def test_classes_with_other_numbers() -> None:
    rule = ["score-beats-chance/renumbered"]
    assert of_labels(EVEN, EVEN, EVEN, right=0.2, renumbered=0.97) == rule
    assert of_labels(EVEN, EVEN, EVEN, right=0.9, renumbered=0.97) == []
    assert of_labels(EVEN, EVEN, EVEN, right=0.2, renumbered=0.6) == []
    # Of two classes, the lower output may have been taken.
    two = [[0, 40], [1, 40]]
    assert of_labels(two, two, two, right=0.0, renumbered=1.0) == []


@pytest.mark.parametrize("rule", TEXTS)
@EACH_LANGUAGE
def test_what_a_text_tells_beside_a_training(rule: str) -> None:
    run = RunRecord("finished", ledger=event())
    (found,) = judge.broken(broken_rules.facts_in(run, TEXTS[rule]))
    assert found.rule == rule.partition("#")[0]
    assert "{" not in found.evidence
    learned = {**STUDIED, "compared": [{**COMPARED, "agree": [0.9, 0.5]}]}
    run = RunRecord("finished", ledger=event(studies={"found": learned}))
    left = {each.invariant for each in judge.broken(broken_rules.facts_in(run, TEXTS[rule]))}
    # Answers that fit their labels say that rows and labels are together.
    told = {
        *("score-is-of-all", "figures-are-of-training", "all-data-is-seen", "score-knows-labels"),
        *("gradients-are-clipped", "best-is-kept", "inputs-are-alike", "results-are-used"),
        *("scores-rank-rows", "numbers-stay-in-range", "steps-go-on"),
    }
    stays = found.invariant in told
    # Labels of neighbours can be learned as well.
    stays |= rule in ("rows-keep-labels/words", "rows-keep-labels/turned", "rows-keep-labels/mixed")
    stays |= rule == "gradients-are-of-the-mean/divergence"
    assert left == ({found.invariant} if stays else set())


def test_a_low_loss_shows_that_rows_have_their_labels() -> None:
    low = event(losses={"series": [[at, 0.1] for at in range(200)]})
    assert not broken_by(low, TEXTS["rows-keep-labels"])


@EACH_LANGUAGE
def test_a_loss_that_an_accelerator_is_not_given() -> None:
    def broken(sent: str, *, backwards: int = 400, **study: Any) -> list[str]:
        found = {**event(studies={"found": {**STUDIED, **study}}), "backwards": backwards}
        text = GATHERING.replace("{sent}", sent)
        facts = broken_rules.facts_in(RunRecord("finished", ledger=found), text)
        return [each.evidence for each in judge.broken(facts)]

    (evidence,) = broken("loss.backward()")
    assert "2" in evidence
    assert "{" not in evidence
    assert not broken("accelerator.backward(loss)")
    assert not broken("self.accelerator.backward(loss)")
    # Each step has its own loss; or the script divides it.
    assert not broken("loss.backward()", backwards=200)
    assert not broken("(loss / 2).backward()", graph=[{"op": "Div"}, *STUDIED["graph"]])


SUMMED = """
for number, (rows, kinds) in enumerate(loader):
    loss = score(net(rows), kinds)
    {sent}
    if number % 2:
        optimizer.step()
"""


@EACH_LANGUAGE
def test_gradients_of_two_batches_that_are_added_up() -> None:
    mean = [{"op": "NllLoss", "reduction": 1, "shape": []}, *STUDIED["graph"][1:]]

    def broken(sent: str, graph: Any = mean, *, backwards: int = 400) -> list[str]:
        found = event(studies={"found": {**STUDIED, "graph": graph}}, losses={"line": 4})
        for each in found["studies"]:
            each["line"] = 4 if each["kind"] == "step" else each["line"]
        text = SUMMED.replace("{sent}", sent)
        run = RunRecord("finished", ledger={**found, "backwards": backwards})
        return [each.evidence for each in judge.broken(broken_rules.facts_in(run, text))]

    (evidence,) = broken("loss.backward()")
    assert "2" in evidence
    assert "{" not in evidence
    assert not broken("loss.backward()", backwards=200)
    assert not broken("(loss / 2).backward()")
    # What was divided out of sight, or is a sum over rows.
    assert not broken("loss.backward()", [{"op": "Div", "shape": []}, *mean])
    assert not broken("loss.backward()", [{**mean[0], "reduction": 2}, *mean[1:]])


def broken_by(found: dict[str, Any], text: str) -> list[str]:
    run = RunRecord("finished", ledger=found)
    return [each.rule for each in judge.broken(broken_rules.facts_in(run, text))]


def test_an_overlap_has_no_lowest_value_for_just_any_numbers() -> None:
    found = {**STUDIED, "lowest": [1e-9, -8.7], "constant": 1.1}
    assert rules(event(studies={"found": found})) == []


def test_an_agent_may_have_nothing_to_tell_rows_apart_by() -> None:
    flat = {"series": [[at, 0.7 + at % 2 / 50] for at in range(200)]}
    found = event(studies={"found": {**STUDIED, "known": [0.69, 0.69]}}, losses=flat)
    assert "better-than-guessing" in broken_by(found, "")
    agent = "a = d.sample()\nloss = -(d.log_prob(a) * rewards).mean()\n"
    assert "better-than-guessing" not in broken_by(found, agent)
    assert "better-than-guessing" in broken_by(found, agent.replace("rewards", "weights"))


def test_a_misspelt_attribute_freezes_nothing() -> None:
    text = "for part in net.parameters():\n    part.require_grad = False\n"
    assert broken_by(event(), text) == ["frozen-stay-as-they-are"]
    assert not broken_by(event(), text.replace("require_", "requires_"))
    assert not broken_by(event(), text.replace("net.parameters()", "options"))


def test_an_optimizer_whose_parameters_no_loss_reaches() -> None:
    cut = {"optimizers": {"without": 32, "loose": 0}, "gradients": {"parameters": 0, "added": 0.0}}
    assert broken_by(event(**cut), "") == ["parameters-are-held/cut-off"]
    # Gradients that are cleared before each step, or losses that are never sent.
    assert "parameters-are-held/cut-off" not in broken_by(event(optimizers=cut["optimizers"]), "")
    cut["optimizers"]["idle"] = 200
    assert "parameters-are-held/cut-off" not in broken_by(event(**cut), "")


def test_gradients_that_are_cleared_between_losses() -> None:
    lost = {"gradients": {"added": 4.0, "between": 12**0.5}}
    assert not broken_by(event(**lost), "")
    assert broken_by({**event(**lost), "backwards": 800}, "") == ["gradients-are-fresh/lost"]
    # Of two losses a step, one may be asked for its slopes, but is not divided by two then.
    twice = {**event(**lost, studies={"found": HALVED}), "backwards": 400}
    assert broken_by(twice, "") == ["gradients-are-fresh/lost"]
    assert not broken_by({**event(**lost), "backwards": 400}, "")
    # What gradients are cut down to between losses is another length.
    lost["gradients"]["between"] = 3.0
    assert not broken_by({**event(**lost), "backwards": 800}, "")


def test_answers_of_a_head_that_no_checkpoint_has() -> None:
    found = event(networks={"fresh": 34}) | {"steps": 0, "backwards": 0, "losses": []}
    found |= {"optimizers": [], "gradients": [], "schedules": []}
    found["studies"] = found["studies"][2:]
    assert broken_by(found, "") == ["evaluated-is-trained/new-head"]
    assert not broken_by(event(networks={"fresh": 34}), "")
    # Its shape alone is looked at.
    found["studies"][0]["found"]["chosen"] = []
    assert not broken_by(found, "")


def test_labels_that_the_network_moves_on_itself() -> None:
    given = {**STUDIED, "places_ahead": 0, "later_moves": 0.0}
    assert "later-is-unseen/same" in broken_by(event(studies={"found": given}), "")
    assert not broken_by(event(studies={"found": {**given, "own_moves": 0.0}}), "")


def test_a_trial_of_a_few_steps_asks_for_no_answers() -> None:
    few = event(losses={"series": [[at, 0.7] for at in range(4)], "count": 4})
    few |= {"steps": 4, "backwards": 4}
    assert "steps-are-enough" in broken_by(few, "")
    few["passes"].pop()
    assert "steps-are-enough" not in broken_by(few, "")


def test_a_script_compares_the_two_modes_on_the_same_rows() -> None:
    found = event()
    other = {**found["passes"][1], "training": True, "dropping": 1}
    found["passes"].append(other)
    assert not broken_by(found, "")
    # Later, the mode was forgotten.
    found["passes"][2] = {**other, "last": 400}
    assert broken_by(found, "") == ["evaluation-mode/dropout"]


@pytest.mark.parametrize(
    ("line", "is_used"),
    [
        ("net(test_rows)", False),
        ("net(test_rows).argmax(1)", False),
        ("found = net(test_rows)", True),
        ("found.append(net(test_rows))", True),
    ],
)
def test_answers_that_are_thrown_away_are_no_evaluation(line: str, is_used: bool) -> None:
    text = "\n" * (ASKED["line"] - 1) + line
    found = broken_by(event(passes={"seen": KNOWN}), text)
    assert found == (["held-out-is-held-out/all"] if is_used else [])


@pytest.mark.parametrize(
    ("line", "is_claimed"),
    [
        ("print(accuracy(net, x_test))", True),
        ("print('验证', accuracy(net, x))", True),
        ("print('точность на тесте', accuracy(net, x))", True),
        ("trainer = Trainer(net, eval_dataset=rows)", True),
        ("net.eval(); print(accuracy(net(x_train), y_train))", False),
        ("print('latest', accuracy(net, x))", False),
    ],
)
def test_rows_that_nothing_calls_held_out_may_be_those_of_the_training(
    line: str, is_claimed: bool
) -> None:
    asked = event(passes={"seen": KNOWN}, networks={"distinct": 100})
    assert broken_by(asked, line) == (["held-out-is-held-out/all"] if is_claimed else [])
    # A part of them was chosen for something.
    assert broken_by(event(passes={"seen": KNOWN}), line) == ["held-out-is-held-out/all"]


@pytest.mark.parametrize(("counted", "is_known"), [(100, True), (60, False)])
def test_of_all_rows_at_once_a_mask_may_hold_some_out(counted: int, is_known: bool) -> None:
    whole = {"distinct": 100, "rows": 1000, "passed": 1000, "pairs": 49_500, "twins": 0}
    loss = {"op": "MseLoss", "shape": [], "before": []}
    found = {**STUDIED, "ignored_share": 0.0, "graph": [loss]}
    found |= {"targets": [[counted]], "met_by": [[counted, 3]]}
    asked = event(passes={"seen": KNOWN}, networks=whole, studies={"found": found})
    assert ("held-out-is-held-out/all" in broken_by(asked, "print(net(x_test))")) is is_known


@pytest.mark.parametrize("is_part", [True, False])
def test_of_each_row_a_mask_may_hold_some_numbers_out(*, is_part: bool) -> None:
    found = {**STUDIED, "scored_in_part": is_part}
    asked = event(passes={"seen": KNOWN}, studies={"found": found})
    assert ("held-out-is-held-out/all" in broken_by(asked, "print(net(x_test))")) is not is_part


@pytest.mark.parametrize("is_taught", [True, False])
@pytest.mark.parametrize("are_compared", [True, False])
def test_answers_that_another_network_is_taught_by_are_no_evaluation(
    *, is_taught: bool, are_compared: bool
) -> None:
    asked = event(passes={"seen": KNOWN})
    asked["networks"].append({**asked["networks"][0], "id": 2})
    later = {"first": 200, "last": 399} if is_taught else {}
    asked["passes"].append({**PASSES, "network": 2, **later})
    kept: dict[str, Any] = {
        "chosen": [],
        "compared": [],
        "losses": [],
        "counted": None,
        "limits_of": [],
    }
    found = {**STUDIED, "columns_left": False, **({} if are_compared else kept)}
    for each in asked["studies"]:
        each["found"] = found
    is_named = "held-out-is-held-out/all" in broken_by(asked, "print(net(x_test))")
    assert is_named is (are_compared or not is_taught)


@EACH_LANGUAGE
def test_gradients_that_a_script_steps_with_itself_are_left_over() -> None:
    found = event(losses={"hand_looks": 3, "hand_moved": 3})
    found |= {"steps": 0, "optimizers": []}
    for each in found["gradients"]:
        each |= {"optimizer": 0, "left": 0.0, "added": 1.0, "norm": 1.0, "moved": 0.1}
    rule = "gradients-are-fresh/by-hand"
    assert rule not in broken_by(found, "")
    for each in found["gradients"]:
        each["left"] = 0.5
    (told,) = [each for each in judge.broken_in(found) if each.rule == rule]
    assert "13" in told.told


def test_a_part_that_is_frozen_at_first_is_no_evaluation() -> None:
    found = event(passes={"seen": KNOWN})
    assert broken_by(found, "") == ["held-out-is-held-out/all"]
    found["passes"][1] |= {"grad": True, "line": found["passes"][0]["line"]}
    assert "held-out-is-held-out/all" not in broken_by(found, "")


def test_gradients_of_the_inputs_may_climb_the_loss() -> None:
    climbed: dict[str, Any] = {"studies": {"found": {**STUDIED, "curvature": [-1.0, -1.0]}}}
    assert "loss-leads-to-labels/upside-down" in broken_by(event(**climbed), "")
    climbed["losses"] = {"others": 1}
    assert "loss-leads-to-labels/upside-down" not in broken_by(event(**climbed), "")


def test_the_last_of_many_networks_is_trained_with_all_rows() -> None:
    found = event(passes={"seen": KNOWN})
    assert broken_by(found, "") == ["held-out-is-held-out/all"]
    fold = {**found["networks"][0], "id": 2}
    found["networks"].append(fold)
    found["passes"] += [{**each, "network": 2} for each in event()["passes"]]
    assert not broken_by(found, "")


def test_a_loss_that_takes_one_number_of_all_rows() -> None:
    graph = [{"op": "Neg", "shape": []}, {"op": "Select", "dim": 0, "shape": []}]
    moved = {**STUDIED, "rows_move_evaluation": 0.2}
    assert "rows-stand-alone" in broken_by(event(studies={"found": moved}), "")
    assert not broken_by(event(studies={"found": {**moved, "graph": graph}}), "")


def test_rows_are_mixed_by_a_network_before_the_last_one() -> None:
    moved = event(studies={"found": {**STUDIED, "others": [[2, 0.2]]}})
    moved["networks"].append({**moved["networks"][0], "id": 2})
    # Of a network that is given all rows at once nothing is said.
    assert not broken_by(moved, "")
    moved["passes"].append({**PASSES, "network": 2})
    assert "rows-stand-alone" in broken_by(moved, "")


@EACH_LANGUAGE
def test_an_evaluation_beside_its_training() -> None:
    def rules(
        of_step: dict[str, Any], asked: dict[str, Any], shapes: tuple[int, ...] = (16, 20)
    ) -> list[str]:
        found = event()
        found["passes"][1]["shapes"] = [list(shapes)]
        for each in found["studies"]:
            values = of_step if each["kind"] == "step" else asked
            each["found"] = {**STUDIED, **values}
        broken = judge.broken_in(found)
        return [each.rule for each in broken if "{" not in each.evidence]

    assert rules({}, {"inputs_largest": 300.0}) == ["inputs-are-alike"]
    assert rules({}, {"inputs_largest": 3.0}) == rules({}, {"inputs_largest": 0.0}) == []
    # Whole episodes beside their moments.
    assert rules({}, {"inputs_largest": 300.0}, (16, 5, 20)) == []


def test_a_loss_that_ends_far_above_a_constant_answer() -> None:
    high = {"begin": [60.0] * 20, "series": [[at, 60.0 - at / 5] for at in range(200)]}
    rule = "better-than-guessing/end"
    assert rule in broken_by(event(losses=high), "")
    # What is to be reached grows.
    grown = {"begin": [0.1] * 20, "series": [[at, 0.1 + at / 5] for at in range(200)]}
    assert rule not in broken_by(event(losses=grown), "")
    # Another network, asked beside each step, says what is to be reached.
    asked = {"aside": 200, "stretches": 200, "first": 0, "last": 199}
    assert rule not in broken_by(event(losses=high, passes=asked), "")


def test_a_loss_that_is_sent_behind_the_loop() -> None:
    lines = ["for _epoch in range(9):", "    for x, y in loader:"] + [""] * 9
    lines += ["        loss = criterion(net(x), y)", "    loss.backward()"]
    found = event()
    found["passes"][0] |= {"reached": 10, "aside": 190, "stretches": 200}
    assert "all-data-is-seen/behind" in broken_by(found, "\n".join(lines))
    found["passes"][0]["aside"] = 0
    assert "all-data-is-seen/behind" not in broken_by(found, "\n".join(lines))


def test_a_part_that_is_said_to_be_frozen_is_trained() -> None:
    text = "net.body.requires_grad = False\n"
    found = broken_by(event(networks={"unfrozen": 2}), text)
    assert found == ["frozen-stay-as-they-are"]
    assert not broken_by(event(), text)
    assert not broken_by(event(networks={"unfrozen": 2}), "")


def test_a_function_evaluates_and_no_network_is_asked() -> None:
    text = """
def score(net, rows):
    net.eval()
    found = []
    for points, kinds in rows:
        found.append(kinds)
    return found
"""
    assert not broken_by(event(), text)
    found = event()
    found["passes"].pop()
    assert broken_by(found, text) == ["score-is-of-all/unasked"]


def test_a_trainer_evaluates_what_chance_has_drawn() -> None:
    text = "trainer = Trainer(train_dataset=rows)\nprint(trainer.evaluate())\n"
    found = event(networks={"drawn": 700, "rows": 0, "passed": 0, "distinct": 0, "pairs": 0})
    found |= {"steps": 0, "backwards": 0, "losses": [], "optimizers": [], "gradients": []}
    found |= {"passes": found["passes"][1:], "loads": [], "schedules": [], "studies": []}
    assert broken_by(found, text) == ["evaluated-is-trained/never"]
    found["networks"][0]["drawn"] = 0
    assert not broken_by(found, text)


@EACH_LANGUAGE
def test_the_highest_of_one_output() -> None:
    text = """
def score(given):
    logits, kinds = given
    return {"right": (np.argmax(logits, axis=-1) == kinds).mean()}
trainer = Trainer(net, args, compute_metrics=score)
"""

    def rules(*outputs: list[int]) -> list[str]:
        found = event(studies={"found": {**STUDIED, "outputs": outputs, "chosen": []}})
        facts = broken_rules.facts_in(RunRecord("finished", ledger=found), text)
        return [each.rule for each in judge.broken(facts) if "{" not in each.evidence]

    assert rules([], [100, 1]) == ["choices-are-several/in-text"]
    assert rules([], [100, 2]) == rules([100, 1], [100, 7, 3]) == []


@EACH_LANGUAGE
def test_labels_and_layers_that_are_out_of_reach() -> None:
    for changes, rule in (
        ({"spread": [0.2, 900.0], "known": [0.6, 0.9]}, "better-than-guessing/far"),
        ({"reach": 1e-8}, "gradients-come-through/reach"),
        ({"dead_layers": 1}, "gradients-come-through/dead"),
    ):
        found = event(studies={"found": {**STUDIED, **changes}})
        assert judge.broken_in(found) == ()
        found["losses"][0]["series"] = [[at, 3.0] for at in range(200)]
        assert rule in {each.rule for each in judge.broken_in(found)}


def test_a_dead_layer_shows_by_an_optimizer_that_gets_no_gradient() -> None:
    still = event(studies={"found": {**STUDIED, "dead_layers": 1}})
    for each in still["gradients"]:
        each |= {"norm": 0.0, "added": 0.0}
    rules = {each.rule for each in judge.broken_in(still)}
    assert {"gradients-come-through/dead", "gradients-come-through/all-zero"} <= rules


def test_padding_that_is_learned_was_in_the_loss() -> None:
    found = event(studies={"found": {**STUDIED, "padding_in_loss": 0.0}})
    found["studies"][0]["found"] = {**STUDIED, "padding_in_loss": 0.8}
    assert ids(found) == ["padding-counts-for-nothing"]


@EACH_LANGUAGE
def test_texts_that_are_cut_after_a_few_tokens() -> None:
    text = "rows = tok(texts, truncation=True, max_length=6)\n"

    def broken(width: int, words: int = 30, **study: Any) -> list[str]:
        texts = {"texts": [{"name": "body", "words": [words] * 20}]}
        found = event(studies={"found": {**STUDIED, **texts, **study}})
        for each in found["passes"]:
            each |= {"kinds": ["int64", "int64"], "shapes": [[16, width], [16, width]]}
        facts = broken_rules.facts_in(RunRecord("finished", ledger=found), text)
        return [each.evidence for each in judge.broken(facts)]

    (evidence,) = broken(6)
    assert "1" in evidence
    assert "{" not in evidence
    # Some rows are filled up, or that is not known; rows are of another width.
    assert not broken(6, padding_by_mask=True)
    assert not broken(6, limits=["padding: RuntimeError"])
    assert not broken(8)
    # All texts are exactly that long, or that is not known.
    assert not broken(6, words=6)
    assert not broken(6, texts=None)


@EACH_LANGUAGE
def test_a_column_that_tells_the_label_and_reaches_no_batch() -> None:
    def broken(text: str = "", found: float = 0.0, told: float = 0.9) -> list[str]:
        texts = [
            {"name": "body", "words": [9] * 20, "found": 1.0, "told": [0.5, told]},
            {"name": "reply", "words": [9] * 20, "found": found, "told": [0.5, told]},
        ]
        known = event(studies={"found": {**STUDIED, "texts": texts}})
        facts = broken_rules.facts_in(RunRecord("finished", ledger=known), text)
        return [each.evidence for each in judge.broken(facts)]

    (evidence,) = broken()
    assert "`reply`" in evidence
    assert "{" not in evidence
    # It is there, or tells little, or is left out by name.
    assert not broken(found=0.5)
    assert not broken(told=0.6)
    assert not broken("rows = rows.remove_columns('reply')")
    assert broken("rows = rows.map(encode, remove_columns=['body', 'reply'])")


def test_what_cannot_be_read_breaks_nothing() -> None:
    assert ids({"event": "ledger"}) == []


def test_each_number_that_is_written_in_a_way_of_its_own_is_in_a_sentence() -> None:
    parsed = [part for each in INVARIANTS for part in Formatter().parse(each.sentence)]
    first = {e.broken[0][0].fact for e in INVARIANTS if "{measured}" in e.sentence}
    assert {part[1] for part in parsed} | first >= judge.WHOLE | judge.PERCENT
    assert not judge.WHOLE & judge.PERCENT


def test_each_rule_has_a_name_of_its_own() -> None:
    assert len({each.name for each in INVARIANTS}) == len(INVARIANTS)


def test_the_catalogue_names_rules_and_facts_that_there_are() -> None:
    facts = {
        f"{each.kind}.{name}" for each in facts_of(record.read(event())) for name in each.values
    }
    said = {each.name: each.sentence for each in INVARIANTS}
    asked = [
        (signature, fault.title)
        for fault in catalogue().values()
        for signature in fault.signatures
        if isinstance(signature, SilentSignature) and signature.when
    ]
    for each, title in asked:
        assert set(each.when) <= said.keys()
        assert "{" in said[each.when[-1]] or said[each.when[-1]] == title
        # What is found by a study of some kinds of steps only stands in none that is healthy.
        assert {c.figure for c in each.where} <= facts | STUDIED_FACTS | FIGURES


def test_a_fault_is_named_by_a_broken_rule_with_what_was_measured() -> None:
    builder = Builder()
    builder.add(event(gradients={"left": 1.9}))  # type: ignore[arg-type]
    verdict = judge_script(builder.build("finished", 0))
    (naming,) = verdict.namings
    assert (naming.fault.id, naming.certain, verdict.broken) == ("gradients-not-cleared", True, ())
    assert "95%" in script_blocks.evidence(naming, None)
    assert "{" not in messages.silent_in_general(naming.match.signature)  # type: ignore[arg-type]


@pytest.mark.parametrize(("rows", "is_told"), [(80_000, True), (2_000, False)])
def test_steps_that_are_few_as_batches_are_large(rows: int, *, is_told: bool) -> None:
    along = [[0.0, 0.6], [0.01, 0.6], [1.0, 0.5997], [100.0, 0.57]]
    studied = {"found": {**STUDIED, "along": along}}
    series = [[at, 0.7] for at in range(60)]
    found = event(losses={"series": series, "count": 60}, studies=studied)
    found |= {"steps": 60, "backwards": 60}
    found["passes"][0] |= {"reached": 60, "reached_rows": rows}
    # The same rows in smaller batches would be steps enough.
    assert ("steps-are-enough" in broken_by(found, "")) is is_told


@pytest.mark.parametrize(("count", "is_told"), [(100, True), (100_000, False)])
def test_rows_that_were_changed_by_visits(count: int, *, is_told: bool) -> None:
    text = "class Data:\n    def __getitem__(self, i):\n        return jitter(self.x[i])\n"
    found = event(studies={"found": {**STUDIED, "changed": [["Data", "x", count]]}})
    assert ("rows-come-again" in broken_by(found, text)) is is_told
    # What no class of the script reads is not its own.
    assert "rows-come-again" not in broken_by(found, "")


@pytest.mark.parametrize(
    ("share", "loss", "is_told"), [(0.8, 0.7, True), (0.8, 0.1, False), (0.5, 0.7, False)]
)
def test_much_is_dropped_and_the_end_tells(share: float, loss: float, *, is_told: bool) -> None:
    series = [[at, 0.7 if at < 20 else loss] for at in range(200)]
    modes = {"modes": {**STUDIED["modes"], "most": share}}
    found: dict[str, Any] = event(
        losses={"series": series}, studies={"found": {**STUDIED, **modes}}
    )
    assert ("training-mode/most-dropped" in rules(found)) is is_told


UNITS = """net.eval()
scaled = y_scaler.fit_transform(y_train)
loss = mse_loss(net(x), scaled)
"""
CONFIG = """tokenizer = AutoTokenizer.from_pretrained("bert")
model = AutoModelForSequenceClassification.from_config(AutoConfig.from_pretrained("bert"))
"""


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("inputs-are-alike/own-codes", "a, _ = pd.factorize(train.c)\nb, _ = pd.factorize(test.c)"),
        ("score-knows-labels/units", f"{UNITS}mean_absolute_error(y_test, net(x_test))"),
        ("loads-change-weights/never", CONFIG),
    ],
)
def test_what_the_text_alone_tells(rule: str, text: str) -> None:
    assert rule in broken_by(event(), text)
    assert rule not in broken_by(event(), "")


@pytest.mark.parametrize("rule", INVARIANTS, ids=lambda each: each.name)
def test_a_share_is_told_in_percent(rule: Any) -> None:
    asked = {name for _text, name, _spec, _how in Formatter().parse(rule.sentence) if name}
    shares = {name for name in asked if name.endswith("_share")} | asked & {"padding_in_loss"}
    assert shares <= judge.PERCENT
