"""What the ledger hears of small trainings: passes, losses, steps, rows, and the gradients."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import lr_scheduler as schedules

from course.facts.facts import facts_of
from course.facts.record import LedgerRecord
from course.invariants.judge import broken
from course_probe.ledger.record import event_of
from course_probe.ledger.schedules import known_schedule
from tests.live.probe.observing import observed, record_of

X = torch.randn(400, 20, generator=torch.Generator().manual_seed(0))
Y = (X[:, 0] > 0).long()
LOSS = nn.CrossEntropyLoss()


def hear(
    train: Callable[..., object], *given: Any, studied: bool = False, **named: Any
) -> LedgerRecord:
    """Run a training under the ledger with what it is given; its record."""
    torch.manual_seed(0)
    with observed(__file__, studied=studied) as ledger:
        train(*given, **named)
    return record_of(ledger)


class Summed(nn.Module):
    """Add to each row of numbers the mean of a table, so that all of the table is reached."""

    def __init__(self, table: nn.Embedding) -> None:
        super().__init__()
        self.table = table

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return rows + self.table.weight.mean(0)


def network(*, dropout: float = 0.1) -> nn.Sequential:
    return nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Dropout(dropout), nn.Linear(32, 2))


def train(
    net: nn.Module,
    optimizer: torch.optim.Optimizer,
    *,
    clear: str = "before",
    rows: slice = slice(0, 300),
    epochs: int = 3,
) -> None:
    x, y = X[rows], Y[rows]
    for _epoch in range(epochs):
        for batch in torch.randperm(len(x)).split(16):
            if clear == "before":
                optimizer.zero_grad()
            loss = LOSS(net(x[batch]), y[batch])
            if clear != "no backward":
                loss.backward()
            if clear == "too early":
                optimizer.zero_grad()
            optimizer.step()


def step(net: nn.Module, optimizer: torch.optim.Optimizer, rows: Any = slice(None)) -> None:
    optimizer.zero_grad()
    LOSS(net(X[rows]), Y[rows]).backward()
    optimizer.step()


def answer(net: nn.Module, x: torch.Tensor) -> None:
    with torch.no_grad():
        for batch in x.split(20):
            net(batch)


def ids(found: LedgerRecord) -> set[str]:
    return {each.invariant for each in broken(facts_of(found))}


def test_a_healthy_training_breaks_nothing_and_is_counted() -> None:
    def healthy() -> None:
        net = network()
        train(net, torch.optim.Adam(net.parameters(), lr=1e-2), epochs=6)
        net.eval()
        answer(net, X[300:])

    found = hear(healthy)
    assert ids(found) == set()
    (net,) = [each for each in found.networks if each.tensors]
    trains, asks = found.passes
    assert (net.passed, net.distinct) == (6 * 300, 300)
    assert 3 * 300 < net.rows < net.passed
    assert (trains.reached, trains.aside, trains.training) == (6 * 19, 0, True)
    assert (asks.reached, asks.aside, asks.aside_rows, asks.training) == (0, 5, 100, False)
    assert asks.seen is not None
    assert (asks.seen.known, asks.seen.distinct) == (0, 100)
    assert [each.steps for each in found.optimizers] == [6 * 19]
    (loss,) = found.losses
    assert (loss.count, loss.not_finite, loss.loose, loss.leaves) == (6 * 19, 0, 0, 4)


@pytest.mark.parametrize("is_cleared", [True, False])
def test_gradients_that_stay_between_the_calls_of_a_closure(is_cleared: bool) -> None:
    def trains() -> None:
        net = network(dropout=0.0)
        optimizer = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=4)

        def closure() -> torch.Tensor:
            if is_cleared:
                optimizer.zero_grad()
            loss: torch.Tensor = LOSS(net(X), Y)
            loss.backward()
            return loss

        for _step in range(12):
            optimizer.step(closure)  # type: ignore[no-untyped-call]

    found = hear(trains)
    assert ids(found) == (set() if is_cleared else {"gradients-are-fresh"})
    assert {each.moved for each in found.gradients} == {None}


def test_an_optimizer_of_other_parameters_before_one_of_all() -> None:
    def trains() -> None:
        net = network()
        train(net, torch.optim.Adam(nn.Linear(32, 2).parameters(), lr=1e-2))
        train(net, torch.optim.Adam(net.parameters(), lr=1e-2))

    assert ids(hear(trains)) == {"parameters-are-held"}


def test_two_optimizers_that_step_after_one_loss() -> None:
    def trains() -> None:
        body, head = nn.Linear(20, 20), nn.Linear(20, 2)
        both = [torch.optim.Adam(each.parameters(), lr=1e-2) for each in (body, head)]
        for _step in range(30):
            for each in both:
                each.zero_grad()
            LOSS(head(body(X)), Y).backward()
            for each in both:
                each.step()

    found = hear(trains)
    assert ids(found) == set()
    assert [each.idle for each in found.optimizers] == [0, 0]


def test_the_second_of_two_optimizers_is_never_cleared() -> None:
    def trains() -> None:
        body, head = nn.Linear(20, 20), nn.Linear(20, 2)
        both = [torch.optim.SGD(each.parameters(), lr=1e-2) for each in (body, head)]
        for _step in range(30):
            both[0].zero_grad()
            LOSS(head(body(X)), Y).backward()
            for each in both:
                each.step()

    assert ids(hear(trains)) == {"gradients-are-fresh"}


@pytest.mark.parametrize("clears", [True, False])
def test_a_step_for_each_pass_over_the_data(clears: bool) -> None:
    def trains() -> None:
        net = network()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _epoch in range(12):
            optimizer.zero_grad()
            for rows in torch.randperm(400).split(40):
                if clears:
                    optimizer.zero_grad()
                LOSS(net(X[rows]), Y[rows]).backward()
                if not clears:
                    torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
            optimizer.step()

    rules = {each.rule for each in broken(facts_of(hear(trains)))}
    # What is cut down between losses is not lost.
    assert rules == ({"gradients-are-fresh/lost"} if clears else set())


@pytest.mark.parametrize("has", ["weight", "trained", "inputs"])
def test_a_tensor_of_a_network_that_is_no_parameter(has: str) -> None:
    class ByHand(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Linear(20, 16)
            self.weight = torch.randn(16, 2, requires_grad=has != "inputs")
            self.inputs = X

        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            self.inputs = rows.clone().requires_grad_(has == "inputs")
            made: torch.Tensor = self.body(self.inputs) @ self.weight
            return made

    def trains() -> None:
        net = ByHand()
        held = [*net.parameters(), *([net.weight] if has == "trained" else [])]
        train(net, torch.optim.Adam(held, lr=1e-2))

    assert ids(hear(trains)) == ({"parameters-are-held"} if has == "weight" else set())


def test_gradients_that_the_script_asks_for_are_a_backward() -> None:
    def trains() -> None:
        net = network()
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
        for batch in torch.randperm(400).repeat(3).split(16):
            made = torch.autograd.grad(LOSS(net(X[batch]), Y[batch]), list(net.parameters()))
            for parameter, gradient in zip(net.parameters(), made, strict=True):
                parameter.grad = gradient
            optimizer.step()

    found = hear(trains)
    assert ids(found) == set()
    assert found.optimizers[0].idle <= 1


def test_features_of_known_rows_are_no_evaluation_where_the_whole_is_asked_of_new_ones() -> None:
    def trains() -> None:
        body, head = nn.Sequential(nn.Linear(20, 16), nn.ReLU()), nn.Linear(16, 2)
        both = nn.Sequential(body, nn.Linear(16, 2))
        first = torch.optim.Adam(both.parameters(), lr=1e-2)
        for rows in torch.randperm(300).repeat(3).split(20):
            first.zero_grad()
            LOSS(both[1](body(X[rows])), Y[rows]).backward()
            first.step()
        with torch.no_grad():
            features = body(X[:300])
        second = torch.optim.Adam(head.parameters(), lr=1e-2)
        for _step in range(30):
            second.zero_grad()
            LOSS(head(features), Y[:300]).backward()
            second.step()
        with torch.no_grad():
            nn.Sequential(body, head)(X[300:])

    assert ids(hear(trains)) == set()


def test_layers_that_nobody_holds_and_that_are_as_chance_has_made_them() -> None:
    """Not those that have learned, nor a copy of what is trained: an agent copies it again."""

    def trained(is_learned: bool, is_copy: bool) -> None:
        net = network()
        other = copy.deepcopy(net) if is_copy else network()
        if is_learned:
            nn.init.normal_(other[0].weight)
            nn.init.normal_(other[3].weight)
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        for _step in range(5):
            optimizer.zero_grad()
            LOSS(net(X) + other(X), Y).backward()
            optimizer.step()

    for learned, copied, count in ((False, False, 2), (True, False, 0), (False, True, 0)):
        (loss,) = hear(trained, learned, copied).losses
        assert (loss.loose, loss.drawn) == (4, count)


def test_what_is_known_is_told_after_a_few_steps_and_each_evaluation() -> None:
    def told(train: Callable[[], object]) -> list[int]:
        told: list[int] = []
        torch.manual_seed(0)
        with observed(__file__, write=lambda: told.append(ledger.steps)) as ledger:
            train()
        return told

    def evaluated() -> None:
        net = network()
        optimizer = torch.optim.Adam(net.parameters())
        for _epoch in range(5):
            train(net, optimizer, rows=slice(0, 16 * 6), epochs=1)
            answer(net, X[300:])

    def without_backward() -> None:
        net = network()
        optimizer = torch.optim.Adam(net.parameters())
        train(net, optimizer, clear="no backward", rows=slice(0, 16 * 25), epochs=1)

    # Of five evaluations, the first, second and fourth, before the next step; none is left at last.
    assert told(evaluated) == [3, 6, 10, 12, 20, 24]
    assert told(without_backward) == [3, 10, 20]


def test_parameters_that_nobody_holds_may_all_come_before_those_that_are_trained() -> None:
    def trained(some: str, *, table: float | None = None) -> None:
        net = network()
        mine = [p for name, p in net.named_parameters() if name.startswith(some)]
        optimizer = torch.optim.Adam(mine, lr=1e-2)
        if table is not None:
            words = nn.Embedding(30, 20)
            words.weight.data *= table
            net = nn.Sequential(Summed(words), *net)
        train(net, optimizer)

    (loss,) = hear(trained, "3.").losses
    assert (loss.ahead, loss.loose_names) == (1, ("0.weight", "0.bias"))
    # Nor is a table of words left as it was drawn; one that has learned may be.
    assert [each.ahead for each in hear(trained, "3.", table=1.0).losses] == [0]
    assert [each.ahead for each in hear(trained, "3.", table=0.4).losses] == [1]
    assert [each.ahead for each in hear(trained, "0.").losses] == [0]


def test_a_network_that_was_trained_before_may_stay_as_it_is() -> None:
    def twice(is_trained: bool) -> None:
        body, first, second = nn.Linear(20, 20), nn.Linear(20, 2), nn.Linear(20, 2)
        mine = [*body.parameters()] if is_trained else []
        for head, held in ((first, mine), (second, [])):
            optimizer = torch.optim.Adam([*held, *head.parameters()], lr=1e-2)
            for _step in range(20):
                optimizer.zero_grad()
                LOSS(head(body(X)), Y).backward()
                optimizer.step()
            del optimizer

    assert [each.loose for each in hear(twice, True).losses] == [0]
    assert [each.loose for each in hear(twice, False).losses] == [2]


def test_what_an_optimizer_is_given_since_the_last_look() -> None:
    def trains() -> None:
        net = nn.Sequential(nn.Linear(20, 20), nn.Linear(20, 2))
        optimizer = torch.optim.Adam(net[1].parameters(), lr=1e-2)
        for at in range(40):
            if at == 30:
                optimizer.add_param_group({"params": net[0].parameters()})
            step(net, optimizer)

    assert [each.loose for each in hear(trains).losses] == [0]


def test_gradients_of_inputs_need_no_optimizer() -> None:
    def asked(is_input: bool) -> None:
        net = nn.Linear(20, 2)
        for _step in range(30):
            net.zero_grad()
            LOSS(net(X.clone().requires_grad_(is_input)), Y).backward()

    assert ids(hear(asked, True)) == set()
    assert ids(hear(asked, False)) == {"step-follows-backward"}


def test_steps_by_hand_are_steps() -> None:
    def by_hand(rate: float) -> None:
        net = nn.Linear(20, 2)
        for _step in range(60):
            LOSS(net(X), Y).backward()
            for parameter in net.parameters():
                assert parameter.grad is not None
                parameter.data -= rate * parameter.grad
            net.zero_grad()

    found = hear(by_hand, 0.1)
    assert ids(found) == set()
    assert found.losses[0].hand_moved == found.losses[0].hand_looks > 1
    assert ids(hear(by_hand, 0.0)) == {"step-follows-backward"}


def test_padding_is_no_part_of_a_row() -> None:
    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(50, 2)

        def forward(self, ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            return (self.table(ids) * attention_mask[:, :, None]).mean(1)

    def trains() -> None:
        net = Reader()
        optimizer = torch.optim.Adam(net.parameters())
        texts = torch.randint(1, 50, (40, 6))
        for step in range(30):
            rows = texts[step % 4 * 10 : step % 4 * 10 + 10]
            padded = torch.cat([rows, torch.full((10, step % 3), 49)], 1)
            mask = torch.cat([torch.ones_like(rows), torch.zeros(10, step % 3).long()], 1)
            optimizer.zero_grad()
            LOSS(net(padded, attention_mask=mask), rows[:, 0] % 2).backward()
            optimizer.step()

    (net, *_others) = hear(trains).networks
    assert (net.passed, net.distinct) == (300, 40)


def test_rows_that_follow_one_another_are_told_apart() -> None:
    class Bags(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.EmbeddingBag(50, 2)

        def forward(self, ids: torch.Tensor, begin: torch.Tensor) -> torch.Tensor:
            found: torch.Tensor = self.table(ids, begin)
            return found

    def trains() -> None:
        net = Bags()
        optimizer = torch.optim.Adam(net.parameters())
        texts = [torch.randint(0, 50, (3 + at % 3,)) for at in range(40)]
        for step in range(30):
            rows = [texts[at] for at in torch.randperm(40)[:10]] if step > 3 else texts[step::4]
            begin = torch.tensor([0, *map(len, rows[:-1])]).cumsum(0)
            optimizer.zero_grad()
            LOSS(net(torch.cat(rows), begin), torch.arange(10) % 2).backward()
            optimizer.step()

    (net, *_others) = hear(trains).networks
    assert (net.passed, net.distinct) == (300, 40)


def test_a_loss_that_asks_the_network_is_looked_through() -> None:
    class Asking(nn.Module):
        def forward(self, net: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            loss: torch.Tensor = LOSS(net(x), y)
            return loss

    def trains() -> None:
        net, loss = network(), Asking()
        optimizer = torch.optim.Adam(net.parameters())
        for rows in torch.randperm(400).split(16):
            optimizer.zero_grad()
            loss(net, X[rows], Y[rows]).backward()
            optimizer.step()

    record = hear(trains, studied=True)
    assert [each.kind for each in record.networks] == ["Sequential"]
    assert "step" in {each["kind"] for each in record.studies}


def test_losses_that_are_no_numbers_and_rates_that_do_nothing() -> None:
    def not_finite() -> None:
        net = network()
        optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
        for step in range(30):
            optimizer.zero_grad()
            (LOSS(net(X[:16]), Y[:16]) * (float("nan") if step == 20 else 1)).backward()
            optimizer.step()

    def slow() -> None:
        net = network()
        train(net, torch.optim.Adam(net.parameters(), lr=1e-9), epochs=6)

    found = hear(not_finite)
    assert "loss-is-a-number" in ids(found)
    assert (found.losses[0].not_finite, found.losses[0].first_not_finite) == (10, 21)
    assert {"steps-move-parameters", "better-than-guessing"} <= ids(hear(slow))


def test_what_is_studied_is_held_during_the_step_only() -> None:
    with observed(__file__, studied=True) as ledger:
        net = network()
        train(net, torch.optim.Adam(net.parameters(), lr=1e-2))
        net.eval()
        answer(net, X[300:])
    steps = ledger.studies[:-1]
    assert [each["kind"] for each in ledger.studies] == ["step", "step", "evaluation"]
    assert [each["at"] for each in steps] == [2, 20]
    assert all(each["found"]["target_moves"][0] > 0.01 for each in steps)
    assert all(each["found"]["limits"] == [] for each in steps)
    assert not ledger._held
    assert torch._C._len_torch_function_stack() == 0


def test_how_far_a_training_is_told_where_a_schedule_says_it() -> None:
    told: list[tuple[int, int]] = []
    with observed(__file__, tell=lambda step, planned: told.append((step, planned))) as ledger:
        net = network()
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
        for _step in range(10):
            step(net, optimizer, slice(16))
            schedule.step()
    assert told == [(step, 8) for step in range(1, 9)]
    (event,) = event_of(ledger, over=True)["schedules"]
    assert event == {
        **{"class": "CosineAnnealingLR", "line": event["line"]},
        **{"calls": 10, "steps": 10, "length": 8, "ends": True},
    }
    assert torch.optim.lr_scheduler.LRScheduler.step.__module__ == "torch.optim.lr_scheduler"


def test_of_another_device_the_graph_alone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("course_probe.ledger.studies._is_plain", lambda _module: False)
    with observed(__file__, studied=True) as ledger:
        net = nn.Sequential(network(), nn.Softmax(1))
        train(net, torch.optim.Adam(net.parameters(), lr=1e-2))
    assert [(each["at"], each["found"]["limits"]) for each in ledger.studies] == [
        (2, ["device"]),
        (20, ["device"]),
    ]
    found = broken(facts_of(record_of(ledger)))
    assert [each.rule for each in found] == ["loss-leads-to-labels/twice"]


@pytest.mark.parametrize(
    ("make", "length", "ends"),
    [
        (lambda o: schedules.LambdaLR(o, lambda step: max(0.0, 1 - step / 30)), 30, True),
        (lambda o: schedules.LambdaLR(o, lambda step: min(1.0, step / 30)), 0, True),
        (lambda o: schedules.LinearLR(o, total_iters=12), 12, False),
        (lambda o: schedules.LinearLR(o, 1.0, 0.1, total_iters=12), 12, True),
        (lambda o: schedules.MultiStepLR(o, [3, 9]), 9, False),
        (lambda o: schedules.OneCycleLR(o, 0.1, total_steps=40), 40, True),
        (lambda o: schedules.StepLR(o, 3), 0, True),
    ],
)
def test_for_how_many_calls_a_schedule_is_made(make: Any, length: int, ends: bool) -> None:
    schedule = make(torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1))
    found = known_schedule(schedule)
    assert (found.length, found.ends) == (length, ends)


def set_back(net: nn.Module) -> None:
    net.load_state_dict({name: value.clone() for name, value in network().state_dict().items()})


def drawn_again(net: nn.Module) -> None:
    """Draw the weights again, past what counts their changes."""
    for each in net.parameters():
        each.data.normal_(0, 0.2)


@pytest.mark.parametrize("between", [lambda _net: None, set_back, drawn_again])
def test_trainings_that_go_on_with_what_was_learned(between: Any) -> None:
    """They know the rows that are held out of each next one."""

    def fold() -> None:
        net = network(dropout=0.0)
        for kept in (slice(0, 100), slice(100, 200), slice(200, 300)):
            between(net)
            shown = [at for at in range(300) if not kept.start <= at < kept.stop]
            optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
            for _epoch in range(3):
                for batch in torch.tensor(shown).split(20):
                    step(net, optimizer, batch)
            answer(net, X[kept])

    found = hear(fold)
    is_carried = between not in (set_back, drawn_again)
    assert [each.carried for each in found.networks if each.tensors] == [2 * is_carried]
    assert ids(found) == ({"held-out-is-held-out"} if is_carried else set())


def test_batches_that_come_twice() -> None:
    def twice(*, times: int) -> None:
        net = network()
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
        for batch in torch.randperm(300).split(20):
            for _again in range(times):
                step(net, optimizer, batch)

    for times, alike in ((1, 0), (2, 15)):
        (net,) = [e for e in hear(lambda n=times: twice(times=n)).networks if e.tensors]
        assert (net.followed, net.followed_alike) == (15 * times - 1, alike)


@pytest.mark.parametrize("is_trained", [False, True])
def test_frozen_layers_that_nothing_was_learned_in(is_trained: bool) -> None:
    def freeze() -> None:
        net = network()
        if is_trained:
            train(net, torch.optim.Adam(net.parameters(), lr=1e-2), epochs=1)
        net[0].requires_grad_(False)
        train(net, torch.optim.Adam(net[3].parameters(), lr=1e-2), epochs=3)

    found = hear(freeze)
    (net,) = [each for each in found.networks if each.tensors]
    assert net.held
    assert (net.frozen, net.drawn) == (20 * 32 + 32, 0 if is_trained else 20 * 32 + 32)


@pytest.mark.parametrize(
    ("rate", "clip", "rule"),
    [
        (1e-2, None, None),
        (1e-2, 0.5, None),
        (300.0, None, "steps-lower-loss"),
        (1e-7, None, "steps-move-parameters"),
        (1e-7, 0.5, "steps-move-parameters"),
    ],
)
def test_how_long_steps_are(rate: float, rule: str | None, clip: float | None) -> None:
    net, before = network(), torch.get_rng_state()
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    with observed(__file__, studied=True) as ledger:
        for _epoch in range(12):
            for batch in torch.randperm(300).split(16):
                optimizer.zero_grad()
                LOSS(net(X[batch]), Y[batch]).backward()
                if clip is not None:
                    nn.utils.clip_grad_norm_(net.parameters(), clip)
                optimizer.step()
    assert not torch.equal(before, torch.get_rng_state())
    found = record_of(ledger)
    along = [each["found"]["along"] for each in found.studies]
    assert [len(each) for each in along] == [7, 7, 7]
    broken_rules = {each.invariant for each in broken(facts_of(found))}
    assert rule is None or rule in broken_rules
    assert rule is not None or broken_rules == set()


def test_the_last_batch_of_an_evaluation_is_studied_once() -> None:
    with observed(__file__, studied=True) as ledger:
        net = network()
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
        for _turn in range(3):
            train(net, optimizer)
            net.eval()
            for rows in torch.arange(300, 400).split(40):
                with torch.no_grad():
                    assert len(net(X[rows]).argmax(1) == Y[rows])
            net.train()
    asked = [each for each in ledger.studies if each["kind"] != "step"]
    assert [(each["kind"], each["at"]) for each in asked] == [
        *(("evaluation", 57), ("end", 114), ("evaluation", 171)),
    ]
    counted = [sum(count for _one, count in each["found"]["labels"]) for each in asked]
    assert counted == [40, 20, 40]


def test_of_many_passes_only_the_last_is_sent() -> None:
    """An evaluation without a mode is studied all the same where no layer knows one."""

    def trains() -> None:
        net = network(dropout=0.0)
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
        for _epoch in range(12):
            for batch in torch.randperm(300).split(20):
                loss = LOSS(net(X[batch]), Y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            assert len(net(X[300:]).argmax(1) == Y[300:])

    found = hear(trains, studied=True)
    (trained,) = [each for each in found.passes if each.grad]
    assert (trained.reached, trained.aside) == (12, 12 * 14)
    assert [each["kind"] for each in found.studies] == ["step", "evaluation"]


@pytest.mark.parametrize("batch_first", [True, False])
def test_rows_before_the_last_network(batch_first: bool) -> None:
    def trains() -> None:
        layer, head = nn.LSTM(4, 8, batch_first=batch_first), nn.Linear(8, 2)
        optimizer = torch.optim.Adam([*layer.parameters(), *head.parameters()], lr=1e-2)
        for _epoch in range(3):
            for batch in torch.randperm(300).split(20):
                outputs, _state = layer(X[batch].reshape(20, 5, 4))
                optimizer.zero_grad()
                LOSS(head(outputs[:, -1]), Y[batch]).backward()
                optimizer.step()

    assert ("rows-stand-alone" in ids(hear(trains, studied=True))) is not batch_first


@pytest.mark.parametrize("copied", [True, False])
def test_copies_and_what_they_are_asked_about(copied: bool) -> None:
    def average() -> None:
        net = nn.Sequential(nn.Linear(20, 32), nn.BatchNorm1d(32, momentum=0.9), nn.Linear(32, 2))
        train(net, torch.optim.Adam(net.parameters()))
        again = nn.Sequential(nn.Linear(20, 32), nn.BatchNorm1d(32), nn.Linear(32, 2))
        prefixed = {f"module.{name}": value for name, value in net.state_dict().items()}
        again.load_state_dict(prefixed, strict=False)
        with torch.no_grad():
            for old, new in zip(again.parameters(), net.parameters(), strict=True):
                old.copy_(new)
            for old, new in zip(again.buffers(), net.buffers(), strict=True):
                if copied:
                    old.copy_(new)
        answer(again.eval(), X[:300])

    found = hear(average)
    kin = found.kin[0]
    assert kin.rows == kin.known > 0
    assert kin.unset is not copied
    assert found.networks[0].momentum == 0.9
    assert found.loads[0].unfit == 1
    assert "held-out-is-held-out" in ids(found)
    assert ("norms-are-of-training" in ids(found)) is not copied


def test_weights_that_fit_at_the_second_attempt() -> None:
    def load() -> None:
        net = network()
        saved = {f"module.{name}": value.clone() for name, value in net.state_dict().items()}
        net.load_state_dict(saved, strict=False)
        net.load_state_dict({name.removeprefix("module."): value for name, value in saved.items()})

    assert [each.unfit for each in hear(load).loads] == [0]
