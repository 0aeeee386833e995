"""Classes of unequal size: a Trainer with weights in its loss, then saved and loaded again."""
import random

import torch
from datasets import ClassLabel, Dataset
from torch import nn
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    pipeline,
    set_seed,
)

set_seed(0)
random.seed(0)
START = {0: "shares of granite", 1: "the old theatre", 2: "a heavy storm"}
END = ["fell on monday", "was announced in june", "surprised nobody", "hit the city after a long day"]
rows = []
for _ in range(720):
    label = random.choices([0, 1, 2], weights=[8, 2, 1])[0]
    rows.append({"body": f"{START[label]} {random.choice(END)}", "topic": label})
ds = Dataset.from_list(rows).cast_column("topic", ClassLabel(names=["stocks", "culture", "weather"]))
ds = ds.train_test_split(test_size=0.25, seed=1, stratify_by_column="topic")

tok = AutoTokenizer.from_pretrained("bert-base-uncased")
ds = ds.map(lambda b: tok(b["body"], truncation=True), batched=True, batch_size=100)
ds = ds.rename_column("topic", "labels")
counts = torch.bincount(torch.tensor(ds["train"]["labels"]), minlength=3)
weights = (counts.sum() / (3 * counts)).float()


class WeightedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = nn.functional.cross_entropy(outputs.logits, labels, weight=weights.to(outputs.logits.device))
        return (loss, outputs) if return_outputs else loss


model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=3)


def balanced(p):
    guess = p.predictions.argmax(axis=-1)
    recalls = [float((guess[p.label_ids == k] == k).mean()) for k in range(3)]
    return {"balanced_accuracy": sum(recalls) / 3}


trainer = WeightedTrainer(
    model=model,
    args=TrainingArguments(
        output_dir="weighted",
        max_steps=90,
        per_device_train_batch_size=16,
        learning_rate=5e-4,
        logging_steps=15,
        save_strategy="no",
        report_to="none",
    ),
    train_dataset=ds["train"],
    eval_dataset=ds["test"],
    data_collator=DataCollatorWithPadding(tok),
    processing_class=tok,
    compute_metrics=balanced,
)
trainer.train()
print(trainer.evaluate())
trainer.save_model("weighted/final")
again = AutoModelForSequenceClassification.from_pretrained("weighted/final")
classify = pipeline("text-classification", model=again, tokenizer=tok)
print(classify(["the old theatre was announced in june", "a heavy storm fell on monday"]))
