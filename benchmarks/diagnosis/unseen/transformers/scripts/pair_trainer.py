"""Classify pairs of sentences (do both reviewers agree?) with the Trainer."""
import random

import evaluate
import numpy as np
from datasets import Dataset, DatasetDict
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(42)
random.seed(42)
checkpoint = "bert-base-uncased"
label_names = ["both bad", "mixed", "both good"]
THINGS = ["the hospital", "the theatre", "the house in vienna", "the new school of music and art"]
MOODS = {0: ["bad", "closed", "late"], 1: ["great", "good", "very good"]}


def make_pair():
    first, second = random.randrange(2), random.randrange(2)
    return {
        "sentence1": f"{random.choice(THINGS)} was {random.choice(MOODS[first])}",
        "sentence2": f"a person said it was {random.choice(MOODS[second])} on {random.choice(['monday', 'sunday'])}",
        "label": first + second,
    }


raw_datasets = DatasetDict({
    "train": Dataset.from_list([make_pair() for _ in range(1200)]),
    "validation": Dataset.from_list([make_pair() for _ in range(200)]),
})
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def encode_pairs(rows):
    return tokenizer(rows["sentence1"], rows["sentence2"], truncation=True)


tokenized_datasets = raw_datasets.map(encode_pairs, batched=True)
data_collator = DataCollatorWithPadding(tokenizer=tokenizer)

model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
metric = evaluate.load("accuracy")


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=-1)
    return metric.compute(predictions=predictions, references=labels)


training_args = TrainingArguments(
    output_dir="pairs-out",
    eval_strategy="epoch",
    save_strategy="no",
    learning_rate=5e-4,
    per_device_train_batch_size=16,
    per_device_eval_batch_size=32,
    num_train_epochs=3,
    logging_steps=50,
    warmup_steps=20,
    report_to="none",
    seed=42,
)

trainer = Trainer(
    model=model,
    args=training_args,
    train_dataset=tokenized_datasets["train"],
    eval_dataset=tokenized_datasets["validation"],
    processing_class=tokenizer,
    data_collator=data_collator,
    compute_metrics=compute_metrics,
)

trainer.train()
scores = trainer.evaluate()
print(scores)
print(f"RESULT {scores['eval_accuracy']:.4f}")
