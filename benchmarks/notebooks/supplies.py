"""Small data and recipes of checkpoints under the names that the course's notebooks load.

They are written to a shelf outside of the project; the embedded hub lays them out as what lessons
bring. Files that notebooks download are written to the folder that they run in.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROWS = {"train": 64, "validation": 64, "test": 64}
PLACES = ("Paris", "Berlin", "Madrid", "Rome", "Vienna", "Oslo", "Lima")
PEOPLE = ("Anna", "Boris", "Chen", "Dmitri", "Elena", "Farid", "Grace")
VERBS = ("visits", "describes", "leaves", "remembers", "paints")
THINGS = ("the old bridge", "a quiet river", "the long market", "a small museum", "the harbour")
VIEWS = (("bad", "dull", "awful"), ("good", "great", "lovely"))
TAGS = ("O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC", "B-MISC", "I-MISC")
CHECKPOINTS = {
    "distilbert-base-uncased-finetuned-sst-2-english": ("distilbert", "imdb", "text"),
    "huggingface-course.distilbert-base-uncased-finetuned-imdb": ("distilbert", "imdb", "text"),
    "distilbert-base-cased-distilled-squad": ("distilbert", "squad", "context"),
    "huggingface-course.bert-finetuned-ner": ("bert", "conll2003", "tokens"),
    "answerdotai.ModernBERT-base": ("bert", "imdb", "text"),
    "argilla.ModernBERT-domain-classifier": ("bert", "imdb", "text"),
}
"""The kind of a checkpoint, and the data and the column that it is made of.

The embedded hub has no organisations: in their place a name begins with theirs and a full stop.
"""


def sentence(number: int) -> str:
    """One of some hundred sentences."""
    one = PEOPLE[number % 7], VERBS[number % 5], THINGS[number % 3], PLACES[number // 3 % 7]
    return "{} {} {} in {}.".format(*one)


def reviews(many: int) -> Iterator[dict[str, Any]]:
    """Reviews of films, and whether they are good."""
    for number in range(many):
        label = number % 2
        view = VIEWS[label][number // 2 % 3]
        text = " ".join(sentence(number * 5 + more) for more in range(6))
        # So many words that an id of 200, which the course takes for an example, is one of them.
        seen = ", ".join(str(number * 4 + more) for more in range(4))
        yield {"text": f"This is a {view} film. {text} Seen {seen} times.", "label": label}


def entities(many: int) -> Iterator[dict[str, Any]]:
    """Words with the tags of persons and places."""
    for number in range(many):
        words = [*sentence(number)[:-1].split(), "."]
        tags = [TAGS.index("B-PER"), *[0] * (len(words) - 3), TAGS.index("B-LOC"), 0]
        yield {"id": str(number), "tokens": words, "ner_tags": tags}


def questions(many: int) -> Iterator[dict[str, Any]]:
    """Questions that a sentence of a long text answers."""
    for number in range(many):
        lines = [sentence(number * 11 + more) for more in range(40)]
        context, asked = " ".join(lines), lines[number % 30]
        answer = asked.rpartition(" ")[2][:-1]
        start = context.index(asked) + asked.index(answer)
        yield {
            "id": f"q{number}",
            "title": "Towns",
            "context": context,
            "question": f"Where is it that {asked.rpartition(' in ')[0]}?",
            "answers": {"text": [answer], "answer_start": [start]},
        }


def code(many: int) -> Iterator[dict[str, Any]]:
    """Lines of code of three kinds."""
    for number in range(many):
        yield {"text": f"def f{number}(a):\n    return a + {number}", "labels": number % 3}


DATA = {
    "imdb": reviews,
    "conll2003": entities,
    "squad": questions,
    "burtenshaw.PleIAs_common_corpus_code_classification": code,
}
CARDS = {
    "conll2003": {
        "features": [
            {"name": "id", "dtype": "string"},
            {"name": "tokens", "sequence": "string"},
            {
                "name": "ner_tags",
                "sequence": {
                    "class_label": {"names": {str(n): name for n, name in enumerate(TAGS)}}
                },
            },
        ]
    }
}
"""What the names of labels are, as the card of a dataset tells it."""


def write_shelf(folder: Path) -> None:
    """Write data and recipes as lessons bring them."""
    brought = folder / "notebooks"
    for name, rows in DATA.items():
        place = brought / "data" / name
        place.mkdir(parents=True, exist_ok=True)
        for split, many in ROWS.items():
            lines = [json.dumps(row) + "\n" for row in rows(many)]
            (place / f"{split}.jsonl").write_text("".join(lines), "utf-8")
        if name in CARDS:
            files = [{"split": split, "path": f"{split}.jsonl"} for split in ROWS]
            card = {
                "configs": [{"config_name": "default", "data_files": files}],
                "dataset_info": CARDS[name],
            }
            (place / "README.md").write_text(f"---\n{json.dumps(card)}\n---\n", "utf-8")
    (brought / "models").mkdir(exist_ok=True)
    for name, (kind, data, column) in CHECKPOINTS.items():
        lines = [
            "format = 1",
            f'model_type = "{kind}"',
            f'data = "{data}"',
            f'columns = ["{column}"]',
            f"cased = {str('uncased' not in name).lower()}",
            "steps = 5",
            "config = { max_position_embeddings = 512 }",
        ]
        (brought / "models" / f"{name}.toml").write_text("\n".join(lines) + "\n", "utf-8")


def write_files(folder: Path) -> None:
    """Write what the notebooks download, in the formats and with the columns that they expect."""
    for split in ("train", "test"):
        articles = [{"title": "Towns", "paragraphs": [row]} for row in questions(8)]
        text = json.dumps({"data": articles})
        (folder / f"SQuAD_it-{split}.json").write_text(text, "utf-8")
        (folder / f"SQuAD_it-{split}.json.gz").write_bytes(gzip.compress(text.encode()))
        with (folder / f"drugsCom{split.title()}_raw.tsv").open("w", newline="") as stream:
            table = csv.writer(stream, delimiter="\t")
            names = ["", "drugName", "condition", "review", "rating", "date", "usefulCount"]
            table.writerow(names)
            for number, row in enumerate(reviews(200)):
                condition = "" if number % 50 == 7 else PLACES[number % 7]
                review = f"It&#039;s so: {row['text']} {row['text']}"
                table.writerow([number, "a", condition, review, 9.0, "May 20, 2012", number])
    lines = [
        json.dumps({"meta": {"id": number}, "text": row["text"]})
        for number, row in enumerate(reviews(64))
    ]
    (folder / "texts.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
