"""Weights that are kept when they are worse, and folds, by the text of a script."""

import ast

import pytest

from course_probe.reading.folds import fold_loops
from course_probe.reading.kept_best import kept_itself, kept_never, kept_worst, monitored_worst

SAVES = ":\n    {best} = {figure}\n    torch.save(net.state_dict(), path)"


@pytest.mark.parametrize(
    ("test", "figure", "best", "is_worst"),
    [
        ("val_acc < best_acc", "val_acc", "best_acc", True),
        ("self.best_loss <= val_loss", "val_loss", "self.best_loss", True),
        ("val_loss > best", "val_loss", "best", True),
        ("val_acc > best_acc", "val_acc", "best_acc", False),
        ("val_loss < best", "val_loss", "best", False),
        # Of other figures it is not known which is better.
        ("margin < best", "margin", "best", False),
        ("val_acc < lowest", "val_acc", "lowest", False),
        ("val_loss == max(losses)", "val_loss", "losses", True),
        ("val_loss <= min(losses)", "val_loss", "losses", False),
    ],
)
def test_the_worst_is_kept(test: str, figure: str, best: str, *, is_worst: bool) -> None:
    text = f"if {test}" + SAVES.format(figure=figure, best=best)
    assert [name for _line, name in kept_worst(ast.parse(text))] == [figure] * is_worst


@pytest.mark.parametrize(
    ("begin", "test", "is_never"),
    [
        ("best_loss = 0.0", "loss < best_loss", True),
        ("best_loss, kept = 0, None", "loss < best_loss", True),
        ("best_acc = float('inf')", "acc > best_acc", True),
        ("best_loss = -np.inf", "loss < best_loss", True),
        ("best_loss = float('inf')", "loss < best_loss", False),
        ("best_acc = 0.0", "acc > best_acc", False),
        # What may be negative, and what begins elsewhere.
        ("best_score = 0.0", "score < best_score", False),
        ("best_loss = first_loss", "loss < best_loss", False),
    ],
)
def test_a_best_figure_that_nothing_beats(begin: str, test: str, *, is_never: bool) -> None:
    figure, _sign, best = test.split()
    text = f"{begin}\nif {test}" + SAVES.format(figure=figure, best=best)
    assert [name for _line, name in kept_never(ast.parse(text))] == [figure] * is_never


@pytest.mark.parametrize(
    ("given", "is_worst"),
    [
        ("score = -val_loss", True),
        ("def ask():\n    return loss, -loss\nval_loss, score = ask()", True),
        ("def ask():\n    return loss, acc\nval_loss, score = ask()", True),
        ("def ask():\n    return loss, abs(loss)\nval_loss, score = ask()", False),
        # No two of these are laid over each other.
        ("score = ask(f(t) * g(t)) / (f(t) + g(t)).mean()", False),
        ("def ask():\n    return accuracy_score(y, p)\nscore = ask()", True),
    ],
)
def test_a_score_of_which_more_is_better(given: str, *, is_worst: bool) -> None:
    text = f"{given}\nif score < best_score" + SAVES.format(figure="score", best="best_score")
    assert bool(kept_worst(ast.parse(text))) == is_worst


def test_who_stops_where_it_is_worst_keeps_the_last_weights() -> None:
    text = "if loss >= max(losses):\n    torch.save(net.state_dict(), path)\n    {}"
    assert kept_worst(ast.parse(text.format("print(loss)")))
    assert not kept_worst(ast.parse(text.format("break")))


STOPPER = """class Stopper:
    def __call__(self, val_loss, model):
        score = {score}
        if self.best_score is None:
            self.best_score = score
        elif score < self.best_score + self.delta:
            self.waited += 1
        else:
            self.best_score = score
            torch.save(model.state_dict(), self.path)
stopper = Stopper()
stopper(mse_loss(net(x), y), net)
"""


@pytest.mark.parametrize(("score", "is_worst"), [("val_loss", True), ("-val_loss", False)])
def test_what_keeps_weights_where_it_does_not_wait(score: str, *, is_worst: bool) -> None:
    assert bool(kept_worst(ast.parse(STOPPER.format(score=score)))) is is_worst


def test_a_likelihood_may_be_below_0() -> None:
    saves = SAVES.format(best="best_loss", figure="val_loss")
    text = f"best_loss = 0.0\nif val_loss < best_loss{saves}"
    assert kept_never(ast.parse(text))
    assert not kept_never(ast.parse(f"cost = nn.GaussianNLLLoss()\n{text}"))


KEEPS = """
optimizer = Adam(model.parameters())
for epoch in range(9):
    {before}
    if acc > best_acc:
        best_acc = acc
        {kept}
print(best_model, best_state)
"""


@pytest.mark.parametrize(
    ("kept", "before", "is_itself"),
    [
        ("best_model = model", "train()", True),
        ("best_state = model.state_dict()", "train()", True),
        ("best_state = copy.deepcopy(model.state_dict())", "train()", False),
        ("best_state = {k: v for k, v in model.state_dict().items()}", "train()", True),
        (
            "best_state = {'at': 1, 'w': {k: v.data for k, v in model.named_parameters()}}",
            "train()",
            True,
        ),
        ("best_state = {k: v.clone() for k, v in model.state_dict().items()}", "train()", False),
        ("best_model = copy.deepcopy(model)", "train()", False),
        # By a method, a shallow copy, an entry of a dictionary.
        ("best_state = kept(model)", "def kept(of):\n        return of.state_dict()", True),
        ("best_state = kept(model)", "def kept(of):\n        return deepcopy(of)", False),
        ("best_state = copy.copy(model.state_dict())", "train()", True),
        ("best_state['net'] = model", "train()", True),
        ("best_state.update(acc=acc, net=model)", "train()", True),
        # Another model in each turn.
        ("best_model = model", "model = make()", False),
        ("best_epoch = epoch", "train()", False),
    ],
)
def test_the_best_model_is_the_trained_one(kept: str, before: str, *, is_itself: bool) -> None:
    text = KEEPS.format(kept=kept, before=before)
    assert bool(kept_itself(ast.parse(text))) is is_itself


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ("mode, figure = 'min val_accuracy'.split()", "val_accuracy"),
        ("mode, figure = 'max val_accuracy'.split()", None),
        ("config = {'monitor': 'val_loss', 'mode': 'max'}", "val_loss"),
        ("config = {'monitor': 'val_f1', 'mode': 'max'}", None),
        ("keep = ModelCheckpoint(monitor='val_acc', mode='min')", "val_acc"),
        # Keras finds the better end by itself, Lightning does not.
        ("keep = ModelCheckpoint(monitor='val_acc')", None),
        ("import lightning\nkeep = ModelCheckpoint(monitor='val_acc')", "val_acc"),
        ("stop = Stopping(monitor='val_acc', mode='min')", None),
    ],
)
def test_a_setting_names_the_wrong_end_of_a_figure(setting: str, name: str | None) -> None:
    text = f"{setting}\ntorch.save(net.state_dict(), path)"
    found = [each for _line, each in monitored_worst(ast.parse(text))]
    assert found == ([] if name is None else [name])


def test_who_looks_for_the_highest_loss_keeps_no_weights() -> None:
    text = "if loss > best_loss:\n    best_loss = loss\n    best_change = change.clone()"
    assert kept_worst(ast.parse(text)) == []


@pytest.mark.parametrize(
    ("loop", "is_one"),
    [
        ("for a, b in KFold(5).split(X)", True),
        ("for n, (a, b) in enumerate(folds.split(X, k))", True),
        ("for a, b in TimeSeriesSplit(5).split(X)", False),
        ("for word in line.split()", False),
        ("for batch in order.split(32)", False),
    ],
)
def test_loops_over_folds(loop: str, *, is_one: bool) -> None:
    text = f"folds = StratifiedKFold(5)\n{loop}:\n    pass"
    assert fold_loops(ast.parse(text)) == [2] * is_one


def test_the_place_of_a_best_row_is_no_model() -> None:
    text = """
def matched(predictions, truths):
    for row in predictions:
        best, place = 0, -1
        for at, truth in enumerate([each for each in truths if each[0] == row[0]]):
            if overlap(row, truth) > best:
                best, place = overlap(row, truth), at
    return place
"""
    assert not [*kept_itself(ast.parse(text))]


def test_a_copy_that_takes_the_place_of_the_model_in_the_end_is_a_copy() -> None:
    text = """
class Fit:
    def fit(self, batches):
        self.net = Net()
        self.optimizer = Adam(self.net.parameters())
        for epoch in range(9):
            if score > best:
                best, self.best_net = score, deepcopy(self.net)
        self.net = self.best_net
"""
    assert not kept_itself(ast.parse(text))
