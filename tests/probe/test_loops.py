"""Loops of one batch, or of no network, by the text."""

import ast

import pytest

from course_probe.reading.loops import (
    asks_none,
    batch_scores,
    last_batches,
    left_at_once,
    left_behind,
    left_early,
)

LOOP = """
def score(loader):
    total = 0
    for batch in loader:
        {inside}
"""


@pytest.mark.parametrize(
    ("inside", "lines"),
    [
        ("total += right(batch)\n        return total", [6]),
        ("total += right(batch)\n    return total", []),
        ("self.meter.update(right(batch))\n        return total", [6]),
        ("return right(batch)", []),
        ("total += 1\n        if total > 3:\n            return total", []),
        ("if not batch:\n            continue\n        total += 1\n        return total", []),
    ],
)
def test_a_loop_that_adds_up_and_is_left_at_once(inside: str, lines: list[int]) -> None:
    tree = ast.parse(LOOP.replace("{inside}", inside))
    assert left_early(tree, [4]) == lines
    assert left_early(tree, [9]) == []


@pytest.mark.parametrize(
    ("inside", "behind", "is_behind"),
    [
        ("loss = score(net(x))", "loss.backward()", True),
        ("loss = score(net(x))\n    loss += slope", "scaler.scale(loss).backward()", True),
        ("loss = loss + score(net(x))", "loss.backward()", False),
        ("loss += score(net(x))", "loss.backward()", False),
        ("loss = score(net(x))\n    all.append(loss)", "loss = sum(all); loss.backward()", False),
        ("if worst(x):\n        loss = score(net(x))", "loss.backward()", False),
    ],
)
def test_a_loss_that_only_the_last_turn_has_made(inside: str, behind: str, is_behind: bool) -> None:
    text = f"loss = 0\nfor x in loader:\n    {inside}\n{behind}\n"
    tree = ast.parse(text)
    last = text.count("\n")
    assert left_behind(tree, [3], [], [last]) == ([last] if is_behind else [])
    assert left_behind(tree, [3], [3], [last]) == left_behind(tree, [], [], [last]) == []


@pytest.mark.parametrize(
    ("head", "test", "is_left"),
    [
        ("at in range(0, len(rows), 8)", "at == 0", True),
        ("at, batch in enumerate(loader)", "at >= 0", True),
        ("at, batch in enumerate(loader, 1)", "at == 0", False),
        ("at in range(2, 8)", "at == 0", False),
        ("at, batch in enumerate(loader)", "at == 3", False),
        ("at, batch in pairs(loader)", "at == 0", False),
        ("at, batch in enumerate(loader)", "loss == 0", False),
    ],
)
def test_a_loop_that_is_broken_off_in_its_first_turn(head: str, test: str, is_left: bool) -> None:
    tree = ast.parse(f"for {head}:\n    train(batch)\n    if {test}:\n        break\n")
    assert left_at_once(tree, [1]) == ([4] if is_left else [])
    assert left_at_once(tree, [2]) == []


ALL = range(1, 100)


def in_function(body: str, behind: str, before: str = "pass") -> ast.Module:
    """Make a function that evaluates: its loop begins in line 3."""
    lines = [*body.split("\n")]
    text = f"def evaluate(model, loader):\n    {before}\n    for x, y in loader:\n"
    text += "".join(f"        {line}\n" for line in lines) + f"    {behind}\n"
    text += "model.eval()\n"
    return ast.parse(text)


@pytest.mark.parametrize(
    ("body", "behind", "before"),
    [
        ("right = (model(x).argmax(1) == y).sum().item()", "return right / 100", "right = 0"),
        ("p = model(x)\nacc = (p.argmax(1) == y).float().mean()", "print(float(acc))", "pass"),
        ("acc = float((model(x) > 0).eq(y).float().mean())", "return acc", "pass"),
        ("loss = F.mse_loss(model(x), y)", "return loss.item()", "loss = 0.0"),
        ("errors.append((model(x) - y).abs())", "return errors[-1].mean()", "errors = []"),
        ("a, n = (model(x) == y).sum(), len(x)", "return a / n", "a, n = 0, 0"),
        ("with no_grad():\n    acc = (model(x) == y).sum()", "return acc", "acc = 0"),
        ("acc = accuracy_score(y, model(x))", "return acc", "pass"),
        (
            "out = metric.compute(predictions=model(x).argmax(-1), references=y)",
            "return out",
            "pass",
        ),
        ("p, t = model(x), y", "return m.compute(predictions=p, references=t)", "pass"),
        ("guesses = [model(x).cpu().numpy()]", "return concatenate(guesses)", "pass"),
        ("guesses = []\nguesses.append(model(x))", "return cat(guesses)", "pass"),
    ],
)
def test_what_only_the_last_batch_leaves(body: str, behind: str, before: str) -> None:
    tree = in_function(body, behind, before)
    assert len(last_batches(tree, [3])) == 1
    assert not last_batches(tree, [2])


@pytest.mark.parametrize(
    ("body", "behind", "before"),
    [
        ("right += (model(x).argmax(1) == y).sum().item()", "return right", "right = 0"),
        ("a = (model(x) == y).sum()\nright += a", "return right / 5", "right = 0"),
        # It is read in the loop, or behind it only once it is another's.
        ("acc = (model(x) == y).float().mean()\nprint(acc)", "return acc", "pass"),
        ("acc = (model(x) == y).float().mean()", "acc = 0\n    return acc", "pass"),
        ("acc = (model(x) == y).float().mean()", "return None", "pass"),
        (
            "metric.add_batch(predictions=model(x), references=y)\n"
            "out = metric.compute(predictions=model(x), references=y)",
            "return out",
            "pass",
        ),
        (
            "outs.append(metric.compute(predictions=x, references=y))",
            "return sum(outs)",
            "outs = []",
        ),
        # One batch is wanted, or the best of all.
        ("acc = (model(x) == y).float().mean()\nbreak", "return acc", "pass"),
        ("last_acc = (model(x) == y).float().mean()", "return last_acc", "pass"),
        ("best = max(best, (model(x) == y).float().mean())", "return best", "best = 0"),
        ("if y.any():\n    acc = (model(x) == y).float().mean()", "return acc", "pass"),
        # Rows to be looked at, and what adds up by itself.
        ("out = model(x)", "show(out[:8])", "pass"),
        ("metric.update(model(x), y)\nacc = metric.compute().item()", "return acc", "pass"),
        ("acc = metric(model(x), y).item()", "return acc", "metric = Accuracy()"),
        ("loss = loss_meter(F.mse_loss(model(x), y))", "return loss", "pass"),
        ("best = model(x).sum(1)", "return best", "pass"),
        ("own = []\nown.append(model(x))\nfound += own", "return found, own", "found = []"),
        ("shown = [model(x)]\nplot(shown)", "return shown", "pass"),
        ("losses.append(f(x))", "return losses[-1], mean(losses)", "losses = []"),
        ("loss = F.mse_loss(model(x), y)\nloss.backward()", "return loss.item()", "pass"),
    ],
)
def test_what_is_of_all_batches_or_of_one_on_purpose(body: str, behind: str, before: str) -> None:
    assert not last_batches(in_function(body, behind, before), ALL)


def test_the_number_of_a_batch_is_no_figure_of_it() -> None:
    text = "for i, (x, y) in enumerate(loader):\n    n = float(i)\n    model(x)\nprint(n)\n"
    assert not last_batches(ast.parse(text), ALL)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("said = y", [3]),
        ("said = model(x)", []),
        ("said = predict(model, x)", []),
    ],
)
def test_a_network_that_is_only_put_into_evaluation_mode(call: str, found: list[int]) -> None:
    tree = in_function(call, "return said", "model.eval()")
    assert asks_none(tree) == found


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("seen.append(y)", [3]),
        ("meter.update(y)", []),
        ("seen.append(score(y))", []),
        ("seen.append((y > 0).sum().item())", [3]),
    ],
)
def test_what_may_ask_a_network_elsewhere(call: str, found: list[int]) -> None:
    text = "def score(y): ...\n"
    tree = in_function(call, "return seen", "model.eval(); seen = []")
    assert asks_none(ast.Module([*ast.parse(text).body, *tree.body], [])) == found


@pytest.mark.parametrize(
    ("body", "behind", "found"),
    [
        ("a, b = evaluate(model(x), y)", "return a.item() / len(x) + b.item()", [4]),
        ("a = evaluate(model(x), y)", "return a.item()", [4]),
        ("a = evaluate(model(x), y)", "return a", []),
        ("a = evaluate(model(x), y)\ntotal += a", "return a.item()", []),
        ("a = evaluate(model(x), y)\na.backward()", "return a.item()", []),
        ("last_loss = evaluate(model(x), y)", "return last_loss.item()", []),
        ("a = meter.add(model(x), y)", "return a.item()", []),
    ],
)
def test_tensors_that_are_read_as_one_number_behind_the_loop(
    body: str, behind: str, found: list[int]
) -> None:
    tree = in_function(body, behind)
    assert last_batches(tree, [3]) == found
    assert not last_batches(tree, [2])


SCORED = """loader = DataLoader(rows)
for points, kinds in {over}:
    answers = net(points).argmax(1)
    {inside}
"""


@pytest.mark.parametrize(
    ("over", "inside", "is_told"),
    [
        ("loader", "scores.append(f1_score(kinds, answers))", True),
        ("loader", "total += roc_auc_score(kinds, answers)", True),
        ("loader", "one = metrics.recall_score(kinds, answers)\n    total += one", True),
        ("loader", "meter.update(f1_score(kinds, answers), len(kinds))", True),
        ("loader", "total += math.exp(loss(answers, kinds).item())", True),
        ("loader", "t.append(math.exp(net(kinds, labels=kinds).loss.item()))", True),
        (
            "loader",
            "a = (answers == kinds).sum(); b = (answers != kinds).sum(); t.append(a / (a + b))",
            True,
        ),
        ("loader", "total += pearson(answers, kinds).item()", True),
        ("loader", "total += pearson(answers, kinds, dim=1).mean()", False),
        ("loader", "a = (answers == kinds).sum(); t.append(a / len(kinds))", False),
        ("loader", "a += (answers == kinds).sum(); b += (answers != kinds).sum()", False),
        ("loader", "print(f1_score(kinds, answers))", False),
        ("loader", "right += accuracy_score(kinds, answers)", False),
        ("loader", "seen.append(kinds)\n    total += f1_score(cat(seen), answers)", False),
        ("users.values()", "scores.append(roc_auc_score(kinds, answers))", False),
    ],
)
def test_scores_of_batches_that_are_added_up(over: str, inside: str, is_told: bool) -> None:
    text = SCORED.replace("{over}", over).replace("{inside}", inside)
    assert bool(batch_scores(ast.parse(text), [2])) is is_told


LAST = """net.eval()
def ask(loader):
    for x, kinds in loader:
        answers = net(x){also}
    return answers.numpy(), kinds.numpy()
"""


@pytest.mark.parametrize(
    ("also", "is_told"), [("", True), ("; n += len(x)", False), ("; show(answers)", False)]
)
def test_a_loop_of_which_only_the_last_turn_is_given_back(also: str, *, is_told: bool) -> None:
    assert bool(last_batches(ast.parse(LAST.format(also=also)), [3])) is is_told


@pytest.mark.parametrize(
    ("behind", "is_told"),
    [
        ("print((answers == kinds).float().mean())", True),
        ("print(answers == kinds)", False),
        ("print((answers == all_kinds).float().mean())", False),
    ],
)
def test_answers_of_the_last_batch_that_are_compared_behind_the_loop(
    behind: str, is_told: bool
) -> None:
    text = SCORED.replace("{over}", "loader").replace("    {inside}\n", behind)
    assert bool(last_batches(ast.parse(text + "\nnet.eval()"), [2])) is is_told
