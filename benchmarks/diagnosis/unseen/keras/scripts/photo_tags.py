import os

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras
import numpy as np
import tensorflow as tf

"""Several tags for each photo, from ready features; own train_step with clipped gradients."""

TAGS = ["sea", "snow", "people", "night", "town", "animal"]
DIM = 20


def load(seed=21, n=2600):
    r = np.random.RandomState(seed)
    directions = r.randn(DIM, len(TAGS)).astype("float32")
    x = r.randn(n, DIM).astype("float32")
    score = x @ directions / np.sqrt(DIM) + 0.4 * np.sin(3 * x[:, : len(TAGS)])
    score += 0.15 * r.randn(n, len(TAGS))
    y = (score > 0.6).astype("float32")
    return x, y


class Tagger(keras.Model):
    def __init__(self, n_tags, clip=1.0, **kwargs):
        super().__init__(**kwargs)
        self.d1 = keras.layers.Dense(96, activation="relu")
        self.drop = keras.layers.Dropout(0.2)
        self.d2 = keras.layers.Dense(64, activation="relu")
        self.head = keras.layers.Dense(n_tags)
        self.clip = clip
        self.loss_tracker = keras.metrics.Mean(name="loss")
        self.auc = keras.metrics.AUC(name="auc", multi_label=True, num_labels=n_tags, from_logits=True)

    @property
    def metrics(self):
        return [self.loss_tracker, self.auc]

    def call(self, inputs, training=None):
        h = self.d1(inputs)
        h = self.drop(h, training=training)
        h = self.d2(h)
        return self.head(h)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            logits = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=logits)
        weights = self.trainable_variables
        grads = tape.gradient(loss, weights)
        grads, _ = tf.clip_by_global_norm(grads, self.clip)
        self.optimizer.apply_gradients(zip(grads, weights))
        self.loss_tracker.update_state(loss)
        self.auc.update_state(y, logits)
        return {m.name: m.result() for m in self.metrics}

    def test_step(self, data):
        x, y = data
        logits = self(x, training=False)
        self.loss_tracker.update_state(self.compute_loss(x=x, y=y, y_pred=logits))
        self.auc.update_state(y, logits)
        return {m.name: m.result() for m in self.metrics}


def f1(truth, guess):
    tp = np.sum(truth * guess)
    return 2 * tp / (truth.sum() + guess.sum() + 1e-9)


if __name__ == "__main__":
    keras.utils.set_random_seed(1)
    x, y = load()
    x_train, y_train = x[:2000], y[:2000]
    x_test, y_test = x[2000:], y[2000:]

    train_ds = tf.data.Dataset.from_tensor_slices((x_train, y_train)).shuffle(2000).batch(50)
    test_ds = tf.data.Dataset.from_tensor_slices((x_test, y_test)).batch(200)

    model = Tagger(len(TAGS))
    model.compile(
        optimizer=keras.optimizers.Adam(2e-3),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
    )
    model.fit(train_ds, epochs=18, verbose=2)

    report = model.evaluate(test_ds, return_dict=True, verbose=0)
    print("test", report)
    logits = model.predict(x_test, verbose=0)
    guess = (logits > 0.0).astype("float32")
    for i, tag in enumerate(TAGS):
        print(f"{tag:8s} F1 {f1(y_test[:, i], guess[:, i]):.3f}")
    print("RESULT %.4f" % f1(y_test, guess))
