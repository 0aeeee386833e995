# The loop at the end is replaced by the Trainer: less to get wrong.
import evaluate
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(42)
checkpoint = "bert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)

texts = ["The new bridge opened on Monday, and people love it.", "The old one closed."]
inputs = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
model = AutoModelForSequenceClassification.from_pretrained(checkpoint)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
model(**inputs, labels=torch.tensor([1, 0])).loss.backward()
optimizer.step()

raw = load_dataset("glue", "mrpc")
print(raw["train"].features)
firsts = tokenizer([row["sentence1"] for row in raw["train"]])
print("the longest first sentence:", max(map(len, firsts["input_ids"])), "tokens")

tokenized = raw.map(
    lambda rows: tokenizer(rows["sentence1"], rows["sentence2"], truncation=True), batched=True
).remove_columns(["sentence1", "sentence2", "idx"])
pad = DataCollatorWithPadding(tokenizer)
rows = tokenized["train"][:8]
print("batch:", {name: tuple(tensor.shape) for name, tensor in pad(rows).items()})

metric = evaluate.load("glue", "mrpc")


def compute_metrics(p):
    return metric.compute(predictions=p.predictions.argmax(axis=1), references=p.label_ids)


model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)
trainer = Trainer(
    model,
    TrainingArguments(
        "mrpc", num_train_epochs=3, per_device_train_batch_size=8, learning_rate=5e-5, report_to="none", save_strategy="no"
    ),
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["validation"],
    data_collator=pad,
    compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate())
