"""The questions that otter-grader and nbgrader are given: one for each bug, one for the outcome.

They ask what our own grading asks. The text of `QUESTIONS` goes into their tests as it stands; each
function is given the namespace of the finished notebook and raises an exception where a point is
not earned.
"""

NAMES = ("missing_input_ids", "length_mismatch", "target_out_of_bounds", "size_1_array", "healthy")
QUESTIONS = """
import logging
import warnings

# nbgrader takes whatever is written to stderr for a wrong answer.
logging.disable()
warnings.simplefilter("ignore")


def missing_input_ids(names):
    import random
    trainer = names["trainer"]
    for data in (trainer.train_dataset, trainer.eval_dataset):
        row = data[random.randrange(len(data))]
        assert all(isinstance(number, int) for number in row["input_ids"])


def length_mismatch(names):
    import random
    lengths = random.sample(range(5, 40), 4)
    rows = [
        {"input_ids": [7] * n, "attention_mask": [1] * n, "label": i % 3}
        for i, n in enumerate(lengths)
    ]
    batch = names["trainer"].data_collator(rows)
    assert tuple(batch["input_ids"].shape) == (4, max(lengths))
    assert batch["attention_mask"].sum(dim=1).tolist() == lengths


def target_out_of_bounds(names):
    import torch
    model = names["trainer"].model
    ids = torch.randint(5, 100, (3, 12))
    with torch.no_grad():
        answer = model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=torch.arange(3))
    assert answer.logits.shape == (3, 3)


def size_1_array(names):
    import numpy
    from transformers import EvalPrediction
    logits = numpy.random.rand(40, 3).astype("float32")
    labels = numpy.random.randint(0, 3, 40)
    figures = names["trainer"].compute_metrics(EvalPrediction(logits, labels))
    assert abs(figures["accuracy"] - (logits.argmax(axis=1) == labels).mean()) < 1e-6


def healthy(names):
    import torch
    from datasets import load_dataset
    from transformers import AutoTokenizer
    for question in (missing_input_ids, length_mismatch, target_out_of_bounds, size_1_array):
        question(names)
    trainer = names["trainer"]
    assert len(trainer.train_dataset) == 2430
    unseen = load_dataset("glue", "mnli")["validation_mismatched"]
    tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
    texts = list(unseen["premise"]), list(unseen["hypothesis"])
    batch = tokenizer(*texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        logits = trainer.model.eval()(batch["input_ids"], batch["attention_mask"]).logits
    right = (logits.argmax(dim=1) == torch.tensor(list(unseen["label"]))).float().mean()
    assert right >= 1 / 3 + 0.15
"""
