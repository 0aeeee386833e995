"""Rows are laid beside the data of the hub by what their ids stand for."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from course_probe.vital_signs.hub_rows import HubData, HubRows

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")

CLS, SEP, PAD, UNK = 0, 1, 2, 3
SPLITS = {
    "train": [(f"The {n} dogs ran home.", f"Home ran {n} dogs, fast.", n % 2) for n in range(40)],
    "validation": [(f"We saw {n} cats.", f"{n} cats were seen there.", n % 2) for n in range(40)],
}
WORDS = ["", "", "", "", "The", "dogs", "ran", "home", "Home", "fast", "We", "saw", "cats"]
WORDS += ["were", "seen", "there"]
WORDS += [*map(str, range(40)), ".", ",", "good", "bad"]


def ids_of(text: str) -> list[int]:
    return [WORDS.index(each) for each in text.replace(".", " .").replace(",", " ,").split()]


class Backend:
    def decode_batch(self, rows: list[list[int]]) -> list[str]:
        return [" ".join(WORDS[each] for each in row) for row in rows]


TOKENIZER = SimpleNamespace(
    backend_tokenizer=Backend(),
    unk_token_id=UNK,
    cls_token_id=CLS,
    all_special_ids=[CLS, SEP, PAD, UNK],
)


@pytest.fixture
def hub(tmp_path: Path) -> HubData:
    folder = tmp_path / "glue" / "mrpc" / "0.0.0" / "digest"
    folder.mkdir(parents=True)
    for name, rows in SPLITS.items():
        first, second, label = (list(each) for each in zip(*rows, strict=True))
        table = pa.table({"sentence1": first, "sentence2": second, "label": label})
        place = str(folder / f"glue-{name}.arrow")
        with pa.OSFile(place, "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    (folder / "cache-1-2.arrow").write_bytes(b"no data")
    return HubData(str(tmp_path))


def signs(hub: HubData, rows: list[tuple[list[int], int]]) -> dict[str, Any]:
    found = HubRows()
    width = max(len(ids) for ids, _label in rows) + 2
    ids = np.array([[*row, *[PAD] * (width - len(row))] for row, _label in rows])
    labels = np.array([label for _ids, label in rows])
    found.add(ids, (ids != PAD).astype(int), labels, np.arange(len(rows)))
    return found.signs(hub, TOKENIZER)


def pair(first: str, second: str, begin: int = CLS, end: int = SEP) -> list[int]:
    return [begin, *ids_of(first), SEP, *ids_of(second), *[end] * (1 + (end != SEP)), SEP]


ROWS = SPLITS["validation"]


def test_rows_of_the_data_are_known_with_their_split(hub: HubData) -> None:
    found = signs(hub, [(pair(a, b), label) for a, b, label in ROWS])
    assert found == {"of_data": 1.0, "labels_of_data": 1.0, "split": "validation"}


@pytest.mark.parametrize(
    "row",
    [
        lambda a, b: pair(b, a),
        lambda a, b: pair(a, b)[:9],
        lambda a, b: [CLS, *ids_of(a), SEP],
        lambda a, b: [*pair(a, b), SEP, SEP, SEP],
    ],
)
def test_order_cuts_and_padding_change_nothing(hub: HubData, row: Any) -> None:
    found = signs(hub, [(row(a, b), label) for a, b, label in ROWS])
    assert found == {"of_data": 1.0, "labels_of_data": 1.0, "split": "validation"}


def test_labels_may_have_other_names_but_not_one_for_two(hub: HubData) -> None:
    swapped = [(pair(a, b), 1 - label) for a, b, label in ROWS]
    assert signs(hub, swapped)["labels_of_data"] == 1
    merged = [(pair(a, b), 1) for a, b, _label in ROWS]
    assert signs(hub, merged)["labels_of_data"] == 0.5
    invented = [(pair(a, b), int(n > 20)) for n, (a, b, _label) in enumerate(ROWS)]
    assert signs(hub, invented)["labels_of_data"] < 0.6


def test_the_split_is_that_of_the_texts(hub: HubData) -> None:
    rows = [(pair(f"{a} .", f"{b} ."), label) for a, b, label in SPLITS["train"]]
    assert signs(hub, rows)["split"] == "train"


@pytest.mark.parametrize(
    "row",
    [
        # Both texts are one, where the label is 1; a word, or a first id, gives it away.
        lambda a, b, label: pair(b if label else a, b),
        lambda a, b, label: pair(f"{'good' if label else 'bad'} {a}", b),
        lambda a, b, label: pair(a, b, CLS if label else WORDS.index("good")),
    ],
)
def test_changed_texts_are_none_of_the_data(hub: HubData, row: Any) -> None:
    found = signs(hub, [(row(a, b, label), label) for a, b, label in ROWS])
    assert found["of_data"] <= 0.5


def test_of_other_texts_and_other_tokenizers_nothing_is_known(hub: HubData) -> None:
    rows = [([CLS, *ids_of(f"fast fast were {n} home"), SEP], 0) for n in range(20)]
    assert signs(hub, rows) == {}
    assert HubRows().signs(hub, TOKENIZER) == {}
    assert HubRows().signs(HubData(None), TOKENIZER) == {}
    found = HubRows()
    found.add(np.array([[CLS, 5, SEP]]), None, None, np.array([1]))
    assert found.signs(hub, object()) == {}
