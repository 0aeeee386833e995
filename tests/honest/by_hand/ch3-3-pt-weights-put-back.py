import copy

import evaluate
import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    EarlyStoppingCallback,
    Trainer,
    TrainingArguments,
    set_seed,
)

checkpoint = "bert-base-cased"

raw = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def encode(pairs):
    return tokenizer(pairs["sentence1"], pairs["sentence2"], truncation=True)


data = raw.map(encode, batched=True).rename_columns({"label": "labels"})

set_seed(42)
model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)
fresh = copy.deepcopy(model.state_dict())  # to begin the second training where the first began

args = TrainingArguments(
    output_dir="bert-on-mrpc",
    num_train_epochs=2,
    per_device_train_batch_size=16,
    eval_strategy="epoch",
    save_strategy="epoch",
    load_best_model_at_end=True,
    lr_scheduler_type="cosine",
    warmup_steps=5,
    report_to="none",
)
first = Trainer(
    model,
    args,
    train_dataset=data["train"],
    eval_dataset=data["validation"],
    data_collator=DataCollatorWithPadding(tokenizer),
    callbacks=[EarlyStoppingCallback(2)],
)
first.train()

metric = evaluate.load("glue", "mrpc")
output = first.predict(data["validation"])
answers = np.array([0 if a > b else 1 for a, b in output.predictions])
by_hand = metric.compute(predictions=answers, references=output.label_ids)
print(by_hand)


def score(prediction):
    logits, labels = prediction
    return metric.compute(predictions=logits.argmax(-1), references=labels)


set_seed(args.seed)
model.load_state_dict(fresh)
second = Trainer(
    model,
    args,
    train_dataset=data["train"],
    eval_dataset=data["validation"],
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=score,
)
untrained = second.evaluate()
print(untrained)
second.train()
print("difference:", second.evaluate()["eval_accuracy"] - by_hand["accuracy"])
