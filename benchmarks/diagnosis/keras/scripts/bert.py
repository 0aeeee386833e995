"""Do two sentences say the same? A checkpoint is fine-tuned with `fit`."""

import tf_keras as keras
from datasets import load_dataset
from transformers import (
    AutoTokenizer,
    DataCollatorWithPadding,
    TFAutoModelForSequenceClassification,
)

SEED = 0
keras.utils.set_random_seed(SEED)
checkpoint = "bert-base-uncased"
raw = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(rows):
    return tokenizer(rows["sentence1"], rows["sentence2"], truncation=True)


encoded = raw.map(tokenize, batched=True)
collator = DataCollatorWithPadding(tokenizer, return_tensors="np")
model = TFAutoModelForSequenceClassification.from_pretrained(
    checkpoint, num_labels=2, use_safetensors=False
)
tf_train = model.prepare_tf_dataset(
    encoded["train"], batch_size=16, shuffle=True, collate_fn=collator
)
tf_valid = model.prepare_tf_dataset(
    encoded["validation"], batch_size=16, shuffle=False, collate_fn=collator
)

epochs = 3
schedule = keras.optimizers.schedules.PolynomialDecay(
    initial_learning_rate=1e-3, end_learning_rate=0.0, decay_steps=len(tf_train) * epochs
)
model.compile(
    optimizer=keras.optimizers.Adam(schedule),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(tf_train, validation_data=tf_valid, epochs=epochs, verbose=2)
