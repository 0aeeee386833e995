"""What metrics make of answers and labels, by the text."""

import ast

import pytest

from course_probe.reading.answers import (
    answers_chosen,
    compared_as_left,
    lowest_chosen,
    scored_against_itself,
    swapped_scores,
)

PAIR = "    outputs, truth = pair\n    said = outputs.argmax(-1)\n"
NAMED = "    truth, said = pair.label_ids, pair.predictions.squeeze(-1)\n"
SHARE = "1 - ((truth - said) ** 2).sum() / (({0} - {0}.mean()) ** 2).sum()"


@pytest.mark.parametrize(
    ("before", "score", "lines"),
    [
        (PAIR, "recall_score(said, truth)", [4]),
        (PAIR, "recall_score(truth, said)", []),
        (PAIR, "precision_score(y_pred=truth, y_true=said)", [4]),
        (NAMED, "metric.compute(predictions=truth, references=said)", [3]),
        (NAMED, "metric.compute(predictions=said, references=truth)", []),
        (NAMED, SHARE.format("said"), [3]),
        (NAMED, SHARE.format("truth"), []),
        # An accuracy is the same either way, and masked answers are made of both.
        (NAMED, "accuracy_score(said, truth)", []),
        (NAMED, "r2_score(said[truth > 0], truth)", []),
        (NAMED, "f1_score(said, truth, average='weighted')", [3]),
        (NAMED, "f1_score(said, truth, average='macro')", []),
        (f"    from torchmetrics.functional import r2_score\n{NAMED}", "r2_score(said, truth)", []),
    ],
)
def test_answers_in_the_place_of_labels(before: str, score: str, lines: list[int]) -> None:
    text = f"def measure(pair):\n{before}    return {score}\nTrainer(compute_metrics=measure)\n"
    assert swapped_scores(ast.parse(text)) == lines
    if before == PAIR:
        assert not swapped_scores(ast.parse(text.replace("compute_metrics=", "")))


LOOP = """net.eval()
p, t = [], []
for x, y in loader:
    p.append(net(x).argmax(1))
    t.extend(y)
"""


@pytest.mark.parametrize(
    ("score", "lines"),
    [
        ("recall_score(np.concatenate(p), t)", [6]),
        ("recall_score(t, np.concatenate(p))", []),
        ("f1_score(p, t)", []),
        # Answers of another model, or such that are not known, may be what is asked about.
        ("recall_score(p, tree.predict(z))", []),
        ("q = vote(z)\nrecall_score(p, q)", []),
    ],
)
def test_gathered_answers_in_the_place_of_labels(score: str, lines: list[int]) -> None:
    assert swapped_scores(ast.parse(LOOP + score)) == lines


@pytest.mark.parametrize(("given", "is_swapped"), [("t, p", True), ("p, t", False)])
def test_answers_that_a_function_takes_for_labels(given: str, *, is_swapped: bool) -> None:
    function = "def score(said, truth):\n    said = np.asarray(said)\n"
    text = f"{function}    return recall_score(truth, said)\n{LOOP}score({given})"
    assert bool(swapped_scores(ast.parse(text))) is is_swapped


@pytest.mark.parametrize(
    ("answers", "is_as_left"),
    [
        ("net(x).numpy()", True),
        ("(torch.sigmoid(net(x)).cpu().numpy() > 0.5).astype(int)", True),
        ("net(x).numpy()[:, 0]", False),
        ("net(x).numpy().ravel()", False),
        ("y.numpy()", False),
    ],
)
def test_answers_and_labels_that_meet_as_they_left(answers: str, *, is_as_left: bool) -> None:
    loop = f"net.eval()\np, t = [], []\nfor x, y in data:\n    p.append({answers})\n"
    text = f"{loop}    t.append(y.numpy())\nprint(np.concatenate(p) - np.concatenate(t))"
    assert bool(compared_as_left(ast.parse(text))) is is_as_left


@pytest.mark.parametrize(
    ("call", "lines"),
    [
        ("f1_score(labels, labels, average='micro')", [1]),
        ("metrics.mean_squared_error(y[mask], y[mask])", [1]),
        ("metric.compute(predictions=preds, references=preds)", [1]),
        ("accuracy_score(y_pred=answers, y_true=answers)", [1]),
        ("f1_score(labels, preds)", []),
        ("metric.compute(predictions=preds, references=labels)", []),
        ("silhouette_score(rows, rows)", []),
        ("cross_val_score(rows, rows)", []),
        ("zip(labels, labels)", []),
    ],
)
def test_a_metric_of_one_thing_twice(call: str, lines: list[int]) -> None:
    assert scored_against_itself(ast.parse(call)) == lines


SCORED = "\ntrainer = Trainer(net, compute_metrics=score)\n"


@pytest.mark.parametrize(
    ("lines", "is_told"),
    [
        ("made, kinds = given\nright = made.argmax(-1) == kinds", True),
        ("right = given.predictions.argmax(axis=1) == given.label_ids", True),
        ("made = given.predictions\nright = np.argmax(made, -1)", True),
        ("made, kinds = given\nmade = np.hstack([1 - made, made])\nright = made.argmax(-1)", False),
        ("made, kinds = given\nright = made[:, 0] > 0 if one else made.argmax(-1)", False),
        ("made, kinds = given\nfirst = made.argmax(0)", False),
        ("made, kinds = given\nkind = kinds.argmax(-1)", False),
    ],
)
def test_what_is_taken_of_all_answers(lines: str, *, is_told: bool) -> None:
    body = "\n".join(f"    {line}" for line in lines.split("\n"))
    text = f"def score(given):\n{body}\n"
    assert bool(answers_chosen(ast.parse(text + SCORED))) is is_told
    # Nobody calls it with all answers.
    assert not answers_chosen(ast.parse(text))


@pytest.mark.parametrize(
    ("answers", "is_lowest"),
    [
        ("np.argsort(logits, axis=-1)[:, 0]", True),
        ("logits.argsort(-1)[:, 0]", True),
        ("np.argsort(-logits, axis=-1)[:, 0]", False),
        ("logits.argsort(-1, descending=True)[:, 0]", False),
        ("np.argsort(logits, axis=-1)[:, -1]", False),
        ("np.argmin(logits, axis=-1)", True),
    ],
)
def test_the_first_of_a_rising_order_is_the_lowest(answers: str, is_lowest: bool) -> None:
    text = (
        f"def compare(pair):\n    one, two = pair\n    found = {answers}\n    return found == two\n"
    )
    assert (
        bool(lowest_chosen(ast.parse(text.replace("logits", "one")), of_products=False))
        == is_lowest
    )


def test_where_nothing_is_compared_no_metric_is_computed() -> None:
    text = "def evaluate(losses):\n    return losses.argmin()\n"
    assert not lowest_chosen(ast.parse(text), of_products=False)


@pytest.mark.parametrize(
    ("choice", "lines"),
    [
        ("logits.argmin(-1) == kinds", [2]),
        ("np.argsort(logits)[:, 0] == kinds", [2]),
        ("losses.argmin() == kinds", []),
        ("np.argmin(losses) == kinds", []),
        ("logits.argmin(1) == logits.argmax(1)", []),
        ("logits.argmin(1)", []),
    ],
)
def test_the_lowest_of_each_row_where_answers_are_compared(choice: str, lines: list[int]) -> None:
    tree = ast.parse(f"def score(logits, kinds, losses):\n    return {choice}\n")
    assert lowest_chosen(tree, of_products=False) == lines


@pytest.mark.parametrize(
    ("made", "told", "lines"),
    [
        ("np.argsort(logits)", "found == kinds", [3]),
        ("np.argsort(-logits)", "found == kinds", []),
        ("np.argsort(z @ z.T)", "found == kinds", []),
        # The nearest row has a label of its own.
        ("np.argsort(apart)", "kinds[found] == kinds", []),
    ],
)
def test_the_first_of_an_order_by_its_name(made: str, told: str, lines: list[int]) -> None:
    text = f"def score(z, logits, kinds):\n    order = {made}\n    found = order[:, 0]\n"
    assert lowest_chosen(ast.parse(f"{text}    return {told}\n"), of_products=False) == lines


@pytest.mark.parametrize(
    ("made", "chosen", "compared", "lines"),
    [
        ("z @ z.T", "sim.argmin(dim=1)", "kinds[found] == kinds", [3]),
        ("z @ z.T", "sim.topk(5, largest=False).indices", "kinds[found] == kinds", [3]),
        ("torch.matmul(z, z.T)", "torch.argmin(sim, 1)", "kinds[found] == kinds", [3]),
        ("torch.cdist(z, z)", "sim.argmin(dim=1)", "kinds[found] == kinds", []),
        ("n + n.T - 2 * z @ z.T", "sim.argmin(dim=1)", "kinds[found] == kinds", []),
        ("-(z @ z.T)", "sim.argmin(dim=1)", "kinds[found] == kinds", []),
        ("z @ z.T", "sim.topk(5).indices", "kinds[found] == kinds", []),
        # Rows that are the hardest to learn from, and both ends.
        ("z @ z.T", "sim.argmin(dim=1)", "z[found]", []),
        ("z @ z.T", "sim.argmin(dim=1)", "kinds[found] == kinds[sim.argmax(1)]", []),
    ],
)
def test_the_least_similar_row(made: str, chosen: str, compared: str, lines: list[int]) -> None:
    text = f"def recall(z, kinds, n):\n    sim = {made}\n    found = {chosen}\n"
    assert lowest_chosen(ast.parse(f"{text}    return {compared}\n"), of_products=True) == lines
