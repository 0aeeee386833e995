"""Three interleaved rings, trained by hand with GradientTape."""
import argparse

import numpy as np
import tensorflow as tf
import keras
from keras import layers


def rings(n, seed):
    rng = np.random.default_rng(seed)
    label = np.repeat(np.arange(3), n // 3)
    angle = rng.uniform(0, 2 * np.pi, len(label))
    radius = 1.0 + label + rng.normal(0, 0.22, len(label))
    xy = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    order = rng.permutation(len(label))
    return xy[order].astype("float32"), label[order].astype("int64")


def make_model():
    return keras.Sequential([
        layers.Input((2,)),
        layers.Dense(32),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.Dense(32, activation="relu"),
        layers.Dropout(0.1),
        layers.Dense(3),
    ])


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=20)
parser.add_argument("--lr", type=float, default=1e-2)
parser.add_argument("--batch", type=int, default=64)
args = parser.parse_args()

keras.utils.set_random_seed(0)
x, y = rings(2400, seed=4)
x_train, x_val = x[:1800], x[1800:]
y_train, y_val = y[:1800], y[1800:]
train_set = tf.data.Dataset.from_tensor_slices((x_train, y_train)).shuffle(1800).batch(args.batch)
val_set = tf.data.Dataset.from_tensor_slices((x_val, y_val)).batch(256)

model = make_model()
optimizer = keras.optimizers.SGD(learning_rate=args.lr, momentum=0.9)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
train_acc = keras.metrics.SparseCategoricalAccuracy()
val_acc = keras.metrics.SparseCategoricalAccuracy()


@tf.function
def train_step(xb, yb):
    with tf.GradientTape() as tape:
        logits = model(xb, training=True)
        loss = loss_fn(yb, logits)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    train_acc.update_state(yb, logits)
    return loss


@tf.function
def val_step(xb, yb):
    logits = model(xb, training=False)
    val_acc.update_state(yb, logits)


for epoch in range(args.epochs):
    train_acc.reset_state()
    total = 0.0
    for xb, yb in train_set:
        total += float(train_step(xb, yb))
    val_acc.reset_state()
    for xb, yb in val_set:
        val_step(xb, yb)
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1}: loss {total / len(train_set):.4f} "
              f"train {float(train_acc.result()):.3f} val {float(val_acc.result()):.3f}")

print("RESULT", round(float(val_acc.result()), 4))
