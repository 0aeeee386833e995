import evaluate
import torch
from datasets import load_dataset
from torch.optim.lr_scheduler import LambdaLR
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(2024)
raw = load_dataset("glue", "mnli")
checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(pairs):
    return tokenizer(text=pairs["premise"], text_pair=pairs["hypothesis"], truncation="longest_first", max_length=256)


tokenized = raw.map(tokenize, batched=True, batch_size=256, desc="токенизация")

kwargs = {"num_labels": 3, "problem_type": "single_label_classification"}
model = AutoModelForSequenceClassification.from_pretrained(checkpoint, **kwargs)

BATCH, EPOCHS = 16, 3
steps = (len(tokenized["train"]) + BATCH - 1) // BATCH * EPOCHS
optimizer = torch.optim.AdamW(
    [
        {"params": model.distilbert.parameters(), "lr": 3e-5},
        {"params": model.pre_classifier.parameters(), "lr": 1e-4},
        {"params": model.classifier.parameters(), "lr": 1e-4},
    ],
    weight_decay=0.01,
)
scheduler = LambdaLR(optimizer, lambda step: max(0.0, 1 - step / steps))

args = TrainingArguments(
    "distilbert-on-mnli",
    num_train_epochs=EPOCHS,
    per_device_train_batch_size=BATCH,
    eval_strategy="epoch",
    logging_strategy="epoch",
    save_strategy="no",
    report_to="none",
    max_grad_norm=1.0,
)

accuracy = evaluate.load("accuracy")
f1 = evaluate.load("f1")


def compute_metrics(prediction):
    logits, labels = prediction.predictions, prediction.label_ids
    answers = logits.argmax(-1)
    return {
        **accuracy.compute(predictions=answers, references=labels),
        **f1.compute(predictions=answers, references=labels, average="macro"),
    }


trainer = Trainer(
    model,
    args,
    train_dataset=tokenized["train"],
    eval_dataset={"matched": tokenized["validation_matched"], "mismatched": tokenized["validation_mismatched"]}
    if "validation_mismatched" in tokenized
    else tokenized["validation_matched"],
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
)
trainer.train()
