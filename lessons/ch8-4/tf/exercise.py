# %% [markdown]
# # Fine-tune DistilBERT on MNLI with Keras
# The model reads two sentences. Does the second follow from the first, contradict it, or neither?

# %%
import tf_keras
from datasets import load_dataset
from transformers import (
    AutoTokenizer,
    DataCollatorWithPadding,
    TFAutoModelForSequenceClassification,
)

tf_keras.utils.set_random_seed(42)

# %% [markdown]
# ## The data
# XLA compiles the model once for each shape, so all batches are padded to one length.

# %%
raw = load_dataset("glue", "mnli")
checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
length = 48


def tokenize(pairs):
    return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True, max_length=length)


tokenized = raw.map(tokenize, batched=True)
pad = DataCollatorWithPadding(
    tokenizer, padding="max_length", max_length=length, return_tensors="np"
)


def batches(split, shuffle):
    return tokenized[split].to_tf_dataset(
        columns=["input_ids", "attention_mask", "labels"],
        batch_size=16,
        shuffle=shuffle,
        collate_fn=pad,
        drop_remainder=True,
    )


train_dataset = batches("train", shuffle=True)
validation_dataset = batches("validation_matched", shuffle=False)

# %% [markdown]
# ## The model
# A Keras model around the pre-trained one: it takes token ids, and returns one number for each class.

# %%
classifier = TFAutoModelForSequenceClassification.from_pretrained(checkpoint)
inputs = {
    name: tf_keras.Input((length,), dtype="int64", name=name)
    for name in ("input_ids", "attention_mask")
}
model = tf_keras.Model(inputs, classifier(inputs).logits)

# %% [markdown]
# ## Training

# %%
model.compile(
    optimizer="adam",
    loss=tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
    jit_compile=True,
)

# %%
model.fit(train_dataset, validation_data=validation_dataset, epochs=2)
