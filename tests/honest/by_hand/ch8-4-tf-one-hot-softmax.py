# Метки в виде one-hot, softmax в последнем слое
import tf_keras
import tensorflow as tf
from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorWithPadding, TFAutoModelForSequenceClassification

tf_keras.utils.set_random_seed(42)
raw = load_dataset("glue", "mnli")
checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
length = 48


def tokenize(pairs):
    return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True, max_length=length)


tokenized = raw.map(tokenize, batched=True)
pad = DataCollatorWithPadding(tokenizer, padding="max_length", max_length=length, return_tensors="tf")


def batches(split, shuffle):
    return (
        tokenized[split]
        .to_tf_dataset(
            columns=["input_ids", "attention_mask"],
            label_cols=["labels"],
            batch_size=16,
            shuffle=shuffle,
            collate_fn=pad,
            drop_remainder=True,
        )
        .map(lambda x, y: (x, tf.one_hot(y, 3)))
        .prefetch(tf.data.AUTOTUNE)
    )


train_dataset = batches("train", shuffle=True)
validation_dataset = batches("validation_matched", shuffle=False)

classifier = TFAutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
inputs = {
    name: tf_keras.Input((length,), dtype="int64", name=name)
    for name in ("input_ids", "attention_mask")
}
probabilities = tf_keras.layers.Activation("softmax", dtype="float32")(classifier(inputs).logits)
model = tf_keras.Model(inputs, probabilities)

model.compile(
    optimizer=tf_keras.optimizers.Adam(5e-5),
    loss="categorical_crossentropy",
    metrics=["accuracy"],
)
model.fit(train_dataset, validation_data=validation_dataset, epochs=2)
