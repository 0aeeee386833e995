# Homework: debug the training pipeline (Keras)
# I keep 10% of the training set to watch the validation loss, and look at the real validation set once at the end.
import numpy as np
import tensorflow as tf
import tf_keras
from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorWithPadding, TFAutoModelForSequenceClassification

tf_keras.utils.set_random_seed(42)
raw = load_dataset("glue", "mnli")
split = raw["train"].train_test_split(test_size=0.1, seed=42)
checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(batch):
    return tokenizer(batch["premise"], batch["hypothesis"], truncation=True, max_length=48)


train = split["train"].map(tokenize, batched=True)
held_out = split["test"].map(tokenize, batched=True)
test = raw["validation_matched"].map(tokenize, batched=True)
collator = DataCollatorWithPadding(tokenizer, padding="max_length", max_length=48, return_tensors="np")


def to_tf(dataset, shuffle=False):
    return dataset.to_tf_dataset(
        columns=["input_ids", "attention_mask"],
        label_cols="labels",
        batch_size=16,
        shuffle=shuffle,
        collate_fn=collator,
    )


model = TFAutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
model.compile(
    optimizer=tf_keras.optimizers.Adam(learning_rate=5e-5),
    loss=tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(to_tf(train, shuffle=True), validation_data=to_tf(held_out), epochs=2)
loss, accuracy = model.evaluate(to_tf(test))
print(f"validation_matched: loss {loss:.3f}, accuracy {accuracy:.3f}")
