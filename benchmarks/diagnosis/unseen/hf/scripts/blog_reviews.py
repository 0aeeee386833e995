"""Fine-tune a transformer on hotel reviews (from my blog)."""
import random

import numpy as np
from datasets import Dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 0
set_seed(SEED)
random.seed(SEED)

good = ["clean", "cheap", "quiet", "safe", "warm"]
bad = ["dirty", "noisy", "dangerous", "cold", "crowded"]
places = ["hotel", "cafe", "beach", "museum", "school", "restaurant"]


def review(label):
    words = random.choices(good if label else bad, k=2)
    place = random.choice(places)
    if random.random() < 0.5:
        return f"The {place} was {words[0]} and {words[1]}."
    return f"My friend told us that the {place} near the river was {words[0]}, really {words[1]}."


labels = [random.randint(0, 1) for _ in range(640)]
data = Dataset.from_dict({"text": [review(x) for x in labels], "label": labels})
data = data.train_test_split(test_size=0.2, seed=SEED)

checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def preprocess(examples):
    return tokenizer(examples["text"], truncation=True, max_length=64)


tokenized = data.map(preprocess, batched=True, remove_columns=["text"])
collator = DataCollatorWithPadding(tokenizer=tokenizer)
model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=1)
    return {"accuracy": float((predictions == labels).mean())}


args = TrainingArguments(
    output_dir="reviews",
    learning_rate=2e-4,
    per_device_train_batch_size=16,
    per_device_eval_batch_size=64,
    num_train_epochs=2,
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="epoch",
    load_best_model_at_end=True,
    metric_for_best_model="accuracy",
    logging_steps=10,
    report_to="none",
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["test"],
    processing_class=tokenizer,
    data_collator=collator,
    compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate())
