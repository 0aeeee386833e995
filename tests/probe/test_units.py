"""Labels in units of their own, and weights that are never loaded, by the text of a script."""

import ast

import pytest

from course_probe.reading.units import in_other_units, peaks_of_bytes
from course_probe.reading.weights import never_loaded

TRAINED = """net.eval()
x_train, x_test, y_train, y_test = train_test_split(x, y)
scaled = scaler.fit_transform(y_train.reshape(-1, 1))
loader = DataLoader(TensorDataset(torch.tensor(x_train), torch.tensor(scaled)))
for a, b in loader:
    loss = mse_loss(net(a), b)
"""
BACK = "answers = scaler.inverse_transform(net(x_test))\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{TRAINED}mean_squared_error(y_test, net(x_test).numpy())", [7]),
        (
            f"{TRAINED}{BACK}mean_squared_error(y_true=scaler.transform(y_test), y_pred=answers)",
            [8],
        ),
        # Both in the same units; a mean of the answers; labels of which more is done unseen.
        (f"{TRAINED}{BACK}mean_squared_error(y_test, answers)", []),
        (f"{TRAINED}mean_squared_error(scaler.transform(y_test), net(x_test))", []),
        (f"{TRAINED}guess = net(x_test)\nwidth = guess - guess.mean()", []),
        (f"{TRAINED}mean_squared_error(own(scaler.transform(y_test)), net(x_test))", []),
        # Under one name: what was there before is gone.
        (f"{TRAINED}out = net(x_test)\n{BACK}out = answers\nmean_squared_error(y_test, out)", []),
        # Only the inputs are scaled.
        (f"{TRAINED.replace('scaled)', 'y_train)')}mean_squared_error(y_test, net(x_test))", []),
    ],
)
def test_sides_of_a_metric_in_other_units(text: str, lines: list[int]) -> None:
    assert in_other_units(ast.parse(text)) == lines


def test_what_a_loop_makes_of_itself_again_and_again_is_read_once() -> None:
    again = "    if each:\n        out = scaler.transform(out.reshape(-1, 1) - y_test)\n" * 12
    text = f"{TRAINED}out = net(x_test)\nfor each in steps:\n{again}print(out - out.mean())"
    assert in_other_units(ast.parse(text)) == []


BEGIN = """tokenizer = AutoTokenizer.from_pretrained("bert")
config = BertConfig.from_pretrained("bert", num_labels=3)
"""
DRAWN = """def draw(layer):
    nn.init.normal_(layer.weight)
model = AutoModel.from_pretrained("bert")
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{BEGIN}model = BertForSequenceClassification(config)", [3]),
        (f"{BEGIN}model = AutoModelForTokenClassification.from_config(config)", [3]),
        (f"{DRAWN}model.apply(draw)", [4]),
        # A language model from nothing, a head alone, weights that are loaded later, or on purpose.
        (f"{BEGIN}model = BertForMaskedLM(config)", []),
        (f"{DRAWN}model.classifier.apply(draw)", []),
        (f"{BEGIN}model = BertForSequenceClassification(config)\nmodel.load_state_dict(w)", []),
        (f"{BEGIN}from_scratch = BertForSequenceClassification(config)", []),
    ],
)
def test_weights_that_are_never_loaded(text: str, lines: list[int]) -> None:
    assert never_loaded(ast.parse(text)) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("psnr = 10 * torch.log10(255.0 ** 2 / mse)", [1]),
        ("peak = 255.0\npsnr = 20 * np.log10(peak / rmse)", [2]),
        ("psnr = 10 * torch.log10(1.0 / mse)", []),
        ("mse = ((x - y) * 255).pow(2).mean()\npsnr = 10 * torch.log10(255**2 / mse)", []),
    ],
)
def test_peaks_of_bytes(text: str, lines: list[int]) -> None:
    assert peaks_of_bytes(ast.parse(text)) == lines


SCORED = """def score(told):
    {}
    return {{"mae": np.abs(guess - true).mean()}}
Trainer(net, compute_metrics=score)
"""


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("guess, true = told.predictions, scaler.inverse_transform(told.label_ids)", [3]),
        ("guess, true = scaler.inverse_transform(told.predictions), told.label_ids", [3]),
        ("guess, labels = told; true = scaler.inverse_transform(labels)", [3]),
        ("guess, true = told.predictions, told.label_ids", []),
        ("guess, true = (scaler.inverse_transform(e) for e in told)", []),
    ],
)
def test_what_a_trainer_scores_has_the_units_of_its_training(line: str, lines: list[int]) -> None:
    assert in_other_units(ast.parse(SCORED.format(line))) == lines


PRICES = """y = np.log1p(train["price"].values)
loss = mse_loss(net(x), torch.tensor(y))
loss.backward()
def ask(x):
    with torch.no_grad():
        return net(x).numpy()
guess, true = ask(z), test["{}"].values
print(np.abs({} - true).mean())
"""


@pytest.mark.parametrize(
    ("column", "guess", "lines"),
    [("price", "guess", [8]), ("price", "np.expm1(guess)", [])],
)
def test_a_column_that_the_network_knows_in_other_units(
    column: str, guess: str, lines: list[int]
) -> None:
    head = "t = pd.DataFrame({'price': np.exp(a)})\ntrain, test = train_test_split(t)\nnet.eval()\n"
    lines = [line + 3 for line in lines]
    assert in_other_units(ast.parse(head + PRICES.format(column, guess))) == lines
