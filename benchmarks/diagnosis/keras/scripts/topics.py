"""Which topics does a text have, none, one or several? A tiny transformer of our own."""

import keras
import numpy as np
from keras import layers, ops

SEED = 0
TOPICS, WORDS, LENGTH = 5, 120, 16
keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)


def make(rows):
    marks = (rng.random((rows, TOPICS)) < 0.3).astype("float32")
    ids = rng.integers(30, WORDS, (rows, LENGTH))
    for row, mark in zip(ids, marks):
        places = rng.permutation(LENGTH)
        for topic in np.flatnonzero(mark):
            row[places[2 * topic : 2 * topic + 2]] = rng.integers(1, 6, 2) + 5 * topic
    return ids, marks


class Block(layers.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = layers.MultiHeadAttention(heads, width // heads)
        self.first, self.second = layers.LayerNormalization(), layers.LayerNormalization()
        self.feed = keras.Sequential(
            [layers.Dense(2 * width, activation="relu"), layers.Dense(width)]
        )
        self.dropout = layers.Dropout(0.1)

    def call(self, x, training=False):
        x = self.first(x + self.dropout(self.attention(x, x), training=training))
        return self.second(x + self.dropout(self.feed(x), training=training))


def build():
    ids = keras.Input((LENGTH,), dtype="int32")
    places = ops.arange(LENGTH)
    x = layers.Embedding(WORDS, 32)(ids) + layers.Embedding(LENGTH, 32)(places)
    x = Block(32, 2)(x)
    x = layers.GlobalMaxPooling1D()(x)
    logits = layers.Dense(TOPICS)(x)
    return keras.Model(ids, logits)


train_x, train_y = make(1000)
valid_x, valid_y = make(250)
model = build()
model.compile(
    optimizer=keras.optimizers.AdamW(learning_rate=4e-3, weight_decay=0.01),
    loss=keras.losses.BinaryCrossentropy(from_logits=True),
    metrics=[keras.metrics.BinaryAccuracy(threshold=0.0, name="right")],
)
model.fit(train_x, train_y, batch_size=32, epochs=5, validation_data=(valid_x, valid_y), verbose=2)
found = model.predict(valid_x, verbose=0) > 0
print("all topics right:", (found == valid_y).all(axis=1).mean())
