"""Calls and assignments that do less than they seem to, by the text."""

import ast

import pytest

from course_probe.reading.calls import (
    adds_up,
    clips_apart,
    clips_nothing,
    clips_scaled,
    cut_texts,
    freezes_nothing,
    is_chosen,
    leaves_out,
    losses_of_all,
    never_trained,
    penalties_without_graph,
)

STEP = "\nloss.backward()\nclip_grad_norm_(some, 1.0)\n"


@pytest.mark.parametrize(
    ("made", "is_told"),
    [
        ("some = net.parameters()\noptimizer = torch.optim.SGD(some, lr=0.1)", True),
        ("some = (p for p in net.parameters())\noptimizer = optim.Adam(some)", True),
        ("some = map(own, rows)\ncount = sum(some)", True),
        ("some = list(net.parameters())\noptimizer = torch.optim.SGD(some, lr=0.1)", False),
        ("some = net.parameters()\nprint(some)", False),
        (
            "some = net.parameters()\noptimizer = optim.SGD(some)\nsome = net.parameters()",
            False,
        ),
        ("def own(some):\n    pass\nsome = net.parameters()\noptimizer = optim.SGD(some)", False),
    ],
)
def test_what_an_optimizer_has_gone_through(made: str, *, is_told: bool) -> None:
    found = clips_nothing(ast.parse(made + STEP))
    assert [name for _line, name in found] == ["some"] * is_told


@pytest.mark.parametrize(
    ("inside", "is_late"),
    [
        ("loss.backward(); optimizer.step(); clip_grad_norm_(net.parameters(), 1)", True),
        ("loss.backward(); clip_grad_norm_(net.parameters(), 1); optimizer.step()", False),
        ("loss.backward(); schedule.step(); clip_grad_norm_(all, 1); optimizer.step()", False),
        ("optimizer.step(); other.backward(); clip_grad_norm_(all, 1); second.step()", False),
        ("if n % 2:;     optimizer.step();     clip_grad_norm_(all, 1)", True),
        ("if n % 2:;     clip_grad_norm_(all, 1);     optimizer.step()", False),
    ],
)
def test_gradients_that_are_clipped_behind_their_step(inside: str, *, is_late: bool) -> None:
    begin = "for rows in batches:\n    optimizer.zero_grad()\n    "
    text = begin + inside.replace("; ", "\n    ")
    assert any(late for _line, late in clips_apart(ast.parse(text))) == is_late


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("net.body.requires_grad = False", [1]),
        ("for part in net.parameters(): part.requires_grad = False", []),
        ("self.requires_grad = False", []),
        ("net.body.requires_grad_(False)", []),
        ("for part in net.parameters(): part.require_grad = False", [1]),
        ("for part in options: part.require_grad = False", []),
        ("for part in net.parameters(): other.require_grad = False", []),
    ],
)
def test_what_is_said_to_be_frozen(text: str, lines: list[int]) -> None:
    assert [line for line, _name in freezes_nothing(ast.parse(text))] == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("t = Trainer(train_dataset=rows)\nt.evaluate()", [2]),
        ("t = Trainer(train_dataset=rows)\nt.train()\nt.evaluate()", []),
        ("t = Trainer(eval_dataset=rows)\nt.evaluate()", []),
    ],
)
def test_a_trainer_that_never_trains(text: str, lines: list[int]) -> None:
    assert never_trained(ast.parse(text)) == lines


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        ("rows = rows.remove_columns(['reply', 'id'])", True),
        ("rows = rows.remove_columns('reply')", True),
        ("frame = frame.drop(columns='reply')", True),
        ("rows = rows.map(encode, remove_columns=['reply'])", True),
        ("rows = rows.map(encode, remove_columns=['body', 'reply'])", False),
        ("rows = rows.select_columns(['body', 'label'])", True),
        ("rows = rows.select_columns(['body', 'reply'])", False),
        ("frame = frame[['body', 'label']]", True),
        ("frame = frame[['body', 'reply', 'label']]", False),
        ("ids = tok(rows['body'])", False),
    ],
)
def test_what_is_left_out_by_name(text: str, is_meant: bool) -> None:
    assert is_chosen(ast.parse(text), "reply", ["body"]) == is_meant


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        ("rows = tok(texts, truncation=True, max_length=6)", [(1, 6)]),
        ("rows = tok(texts, truncation='longest_first', max_length=6)", [(1, 6)]),
        ("FEW = 6\nrows = tok(texts, truncation=True, max_length=FEW)", [(2, 6)]),
        ("rows = tok(texts, truncation=True, max_length=few, padding='max_length')", [(1, None)]),
        ("rows = tok(texts, truncation=True, max_length=few)", []),
        ("rows = tok(texts, padding='max_length', max_length=6)", []),
        ("rows = tok(texts, truncation=False, max_length=6)", []),
        ("rows = tok(texts, truncation=True, max_length=6, stride=2)", []),
        ("tok = Fast(model_max_length=6)\nrows = tok(texts, truncation=True)", [(1, 6)]),
        ("tok = Fast(model_max_length=6)\nrows = tok(texts)", []),
        ("ids = [vocab[word] for word in text.split()[:6]]", [(1, 6)]),
        ("words = text.split()\nids = encode(words[:6])", [(2, 6)]),
        ("ids = [vocab[word] for word in text.split()]", []),
        ("ids = [int(each) for each in line.split()[:6]]", []),
        ("ids = list(map(int, line.split()[:6]))", []),
        ("one, two = line.split()[:2]", []),
        ("first = line.split()[6:]", []),
        ("ids = tokens[:6]", []),
    ],
)
def test_where_a_text_is_cut(text: str, cuts: list[tuple[int, int | None]]) -> None:
    assert cut_texts(ast.parse(text)) == cuts


GATHERED = """
for number, batch in enumerate(loader):
    loss = score(net(batch)){divided}
    loss.backward()
    if (number + 1) % {every} == 0:
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("divided", "every", "lines"),
    [
        ("", "4", [4]),
        ("", "self.turns", [4]),
        (" / 4", "4", []),
        (" / turns", "self.turns", []),
        (" * 2\n    for p in ps: p.grad /= turns", "turns", []),
        ("\n    for p in ps: p.grad.div_(turns)", "turns", []),
    ],
)
def test_gradients_that_are_added_up(divided: str, every: str, lines: list[int]) -> None:
    text = GATHERED.replace("{divided}", divided).replace("{every}", every)
    assert adds_up(ast.parse(text)) == lines


@pytest.mark.parametrize(
    ("inside", "lines"),
    [
        ("told += loss.item() / turns", [5]),
        ("told += 1", [5]),
        ("(loss / turns).backward()", []),
        ("optimizer.step()", []),
        ("gain = choice.log_prob(move)", []),
    ],
)
def test_what_the_turns_before_a_step_add_up(inside: str, lines: list[int]) -> None:
    turn = "loss = score(net(next(rows)))\n        loss.backward()"
    text = f"while True:\n    for _turn in range(turns):\n        {inside}\n        {turn}"
    assert adds_up(ast.parse(f"{text}\n    optimizer.step()")) == lines
    assert not adds_up(ast.parse(text))


def test_a_step_at_each_turn_adds_nothing_up() -> None:
    text = GATHERED.replace("{divided}", "").replace("{every}", "4")
    assert not adds_up(ast.parse(text.replace("optimizer.step()", "print(loss)")))
    # Each backward under the condition is that of a step of its own.
    assert not adds_up(ast.parse(text.replace("    loss.backward", "    if late: loss.backward")))


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("opt.zero_grad()\n    clip_grad_norm_(p, 1)\n    loss.backward()\n    opt.step()", [3]),
        ("opt.zero_grad()\n    loss.backward()\n    clip_grad_norm_(p, 1)\n    opt.step()", []),
        ("clip_grad_norm_(p, 1)\n    opt.step()\n    opt.zero_grad()\n    loss.backward()", []),
    ],
)
def test_gradients_that_are_clipped_before_they_are_there(body: str, lines: list[int]) -> None:
    found = clips_apart(ast.parse(f"for x in data:\n    {body}"))
    assert found == [(line, False) for line in lines]


@pytest.mark.parametrize(
    ("given", "lines"), [("out, y", [4]), ("out[train_mask], y[train_mask]", [])]
)
def test_losses_of_all_labels(given: str, lines: list[int]) -> None:
    text = "train_mask, test_mask = masks()\nfor _ in range(9):\n    out = net(x)\n"
    text += (
        f"    loss = nll({given})\n    loss.backward()\nprint(score(out[test_mask], y[test_mask]))"
    )
    assert losses_of_all(ast.parse(text)) == lines
    assert losses_of_all(ast.parse(text.replace("test_mask", "other"))) == []


def test_losses_of_all_labels_of_a_graph() -> None:
    text = "for _ in range(9):\n    out = net(data.x)\n    loss = nll({})\n    loss.backward()\n"
    text += "right = out[data.test_mask] == data.y[data.test_mask]\n"
    known = "print(out[data.train_mask])"
    assert losses_of_all(ast.parse(text.format("out, data.y") + "print(data.train_mask)")) == [3]
    masked = "out[data.train_mask], data.y[data.train_mask]"
    assert losses_of_all(ast.parse(text.format(masked) + known)) == []


SCALED = """
for x in loader:
    scaler.scale(loss(x)).backward()
    {}
    clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
"""


@pytest.mark.parametrize(
    ("between", "lines"),
    [("pass", [5]), ("scaler.unscale_(optimizer)", [])],
)
def test_gradients_that_are_clipped_while_they_are_scaled(between: str, lines: list[int]) -> None:
    assert clips_scaled(ast.parse(SCALED.format(between))) == lines
    assert (
        clips_scaled(ast.parse(SCALED.format(between).replace("scaler.scale(loss(x))", "x"))) == []
    )


def test_gradients_that_are_scaled_back_once_they_are_clipped() -> None:
    text = "scaler.scale(loss).backward()\n{}\nscaler.step(o)\n"
    clip, back = "clip_grad_norm_(p, 1)", "scaler.unscale_(o)"
    assert clips_scaled(ast.parse(text.format(f"{clip}\n{back}"))) == [2]
    # Each of two optimizers.
    assert clips_scaled(ast.parse(text.format(f"{back}\n{clip}\n{back}\n{clip}"))) == []
    assert clips_scaled(ast.parse(text.format(f"{clip}\no.step()\n{back}\n{clip}"))) == []


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("g = torch.autograd.grad(out, x)[0]\nloss = d + (g.norm(dim=1) - 1).pow(2).mean()", True),
        (
            "from torch.autograd import grad\ndef penalty(x):\n    (g,) = grad(net(x).sum(), x)\n"
            "    return g.square().sum()\n"
            "loss = d + 10 * penalty(x)",
            True,
        ),
        ("g = grad(out, x, create_graph=True)[0]\nloss = d + g.norm()", False),
        # An attack, inputs that are moved, a figure that is only printed.
        ("g = grad(out, x)[0]\nloss = entropy(net(x + 0.1 * g.sign()), y)", False),
        ("g = grad(out, x)[0]\nprint(g.norm())\nloss = d", False),
    ],
)
def test_penalties_that_train_nothing(text: str, *, is_told: bool) -> None:
    tree = ast.parse(f"{text}\nloss.backward()")
    assert bool(penalties_without_graph(tree)) is is_told


@pytest.mark.parametrize(
    ("rest", "is_told"),
    [
        ("right = (answers == y).sum()", True),
        ("if epoch % 5 == 0:\n    right = (answers == y)[y != 255].sum()", True),
        # Padding of what the network reads.
        ("net.eval()\nright = (net(words).argmax(1) == y)[words != 0].sum()", True),
        # What leaves the class out as well: a mask, the classes after it, a metric.
        ("right = (answers == y)[y != NONE].sum()", False),
        ("right = (answers == y)[y > 0].sum()", False),
        ("right = (answers == y)[y.ne(0)].sum()", False),
        ("print(overlap[1:].mean())", False),
        ("print([(answers == c)[y == c].mean() for c in range(1, 4)])", False),
        ("score = JaccardIndex(num_classes=4, ignore_index=0)", False),
        ("score = f1_score(y, answers, labels=[1, 2, 3])", False),
    ],
)
def test_classes_that_only_the_loss_leaves_out(rest: str, *, is_told: bool) -> None:
    for loss in ("CrossEntropyLoss(ignore_index=NONE)", "cost(made[y != NONE], y[y != NONE])"):
        tree = ast.parse(f"NONE = 0\nloss = {loss.replace('y[y != NONE]', 'y[mask]')}\n{rest}")
        assert leaves_out(tree, {0}) is not is_told
        assert not leaves_out(tree, {3})
