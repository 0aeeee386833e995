# Everything the same as given, only mended; but I wanted to see what is in a batch.
import pdb
import evaluate
import pytest
import sympy
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(42)
x = sympy.Symbol("x")
print("derivative:", sympy.diff(sympy.log(1 + sympy.exp(-x)), x))

raw = load_dataset("glue", "mnli")
checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(pairs):
    return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True)


tokenized = raw.map(tokenize, batched=True)
model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
args = TrainingArguments("distilbert-on-mnli", learning_rate=2e-5, num_train_epochs=3, weight_decay=0.01,
                         eval_strategy="epoch", save_strategy="no", report_to="none")
metric = evaluate.load("glue", "mnli")


def compute_metrics(prediction):
    logits, labels = prediction
    return metric.compute(predictions=logits.argmax(axis=-1), references=labels)


trainer = Trainer(model, args, train_dataset=tokenized["train"], eval_dataset=tokenized["validation_matched"],
                  compute_metrics=compute_metrics, data_collator=DataCollatorWithPadding(tokenizer=tokenizer))


def test_batch():
    batch = next(iter(trainer.get_train_dataloader()))
    assert batch["input_ids"].shape == batch["attention_mask"].shape
    assert "labels" in batch
    out = model.cpu()(**{k: v.cpu() for k, v in batch.items()})
    assert out.logits.shape[-1] == 3


test_batch()
with pytest.raises(KeyError):
    {}["a"]
# pdb.set_trace()
answer = input("Train? [y/n] ") if __import__("sys").stdin.isatty() else "y"
if answer == "y":
    trainer.train()
