# 不用 fit：自己写训练循环
import tensorflow as tf
import tf_keras
from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorWithPadding, TFAutoModelForSequenceClassification

tf_keras.utils.set_random_seed(42)
EPOCHS = 2
BATCH = 16
LENGTH = 48
CHECKPOINT = "distilbert-base-uncased"

raw = load_dataset("glue", "mnli")
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
tokenized = raw.map(
    lambda 批: tokenizer(批["premise"], 批["hypothesis"], truncation=True, max_length=LENGTH), batched=True
)
pad = DataCollatorWithPadding(tokenizer, padding="max_length", max_length=LENGTH, return_tensors="np")


def make(split, shuffle):
    return tokenized[split].to_tf_dataset(
        columns=["input_ids", "attention_mask", "labels"],
        batch_size=BATCH,
        shuffle=shuffle,
        collate_fn=pad,
    )


train, valid = make("train", True), make("validation_matched", False)
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
optimizer = tf_keras.optimizers.Adam(learning_rate=5e-5, epsilon=1e-8)
loss_fn = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)
train_acc = tf_keras.metrics.SparseCategoricalAccuracy()
val_acc = tf_keras.metrics.SparseCategoricalAccuracy()


def split_labels(batch):
    batch = dict(batch)
    labels = batch.pop("labels")
    return batch, labels


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True).logits
        loss = loss_fn(y, logits)
    grads = tape.gradient(loss, model.trainable_weights)
    optimizer.apply_gradients(zip(grads, model.trainable_weights))
    train_acc.update_state(y, logits)
    return loss


@tf.function
def valid_step(x, y):
    val_acc.update_state(y, model(x, training=False).logits)


for epoch in range(EPOCHS):
    for step, batch in enumerate(train):
        x, y = split_labels(batch)
        loss = train_step(x, y)
        if step % 20 == 0:
            tf.print("第", step, "步，损失", loss)
    for batch in valid:
        valid_step(*split_labels(batch))
    print(f"第 {epoch + 1} 轮：训练 {train_acc.result():.3f}，验证 {val_acc.result():.3f}")
    train_acc.reset_state()
    val_acc.reset_state()
