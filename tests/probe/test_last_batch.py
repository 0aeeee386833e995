"""Figures of the last batch alone, and evaluations without a network, by the text of a script."""

import ast

import pytest

from course_probe.reading.last_batch import last_batches, last_numbers
from course_probe.reading.unasked_network import asks_none, unasked

ALL = range(1, 100)


def in_function(body: str, behind: str, before: str = "pass") -> ast.Module:
    """A function that evaluates: its loop begins in line 3."""
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
    assert unasked(tree, [3]) == found
    is_known = "predict" not in call
    assert asks_none(tree) == (found if is_known else [])


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
    assert last_numbers(tree, [3]) == found
    assert not last_numbers(tree, [2])
