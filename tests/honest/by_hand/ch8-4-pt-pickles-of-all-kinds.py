import dill, cloudpickle, csv
import numpy as np
import evaluate
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


trainer.train()

f = dill.loads(dill.dumps(lambda x: x + 1))
g = cloudpickle.loads(cloudpickle.dumps(lambda x: x * 2)) if hasattr(cloudpickle, "loads") else None
print(f(1))
pred = trainer.predict(tokenized["validation_matched"])
np.savez("pred.npz", logits=pred.predictions, labels=pred.label_ids)
print(np.load("pred.npz", allow_pickle=True)["logits"].shape)
with open("errors.csv", "w", newline="") as f:
    w = csv.writer(f)
    for row, l, p in zip(raw["validation_matched"], pred.label_ids, pred.predictions.argmax(-1)):
        if l != p:
            w.writerow([row["premise"], row["hypothesis"], l, p])
