"""Which figure is in the picture? A small convolutional network, with `fit`."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

SEED = 0
keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)


def draw(kind):
    picture = rng.integers(0, 60, (20, 20))
    top, left = rng.integers(2, 10, 2)
    if kind == 0:
        picture[top : top + 7, left : left + 7] = 255
    elif kind == 1:
        picture[top : top + 8 : 3, left : left + 8] = 255
    elif kind == 2:
        picture[top : top + 8, left : left + 8 : 3] = 255
    else:
        for i in range(8):
            picture[top + i, left + i] = picture[top + i, left + 7 - i] = 255
    return picture


labels = rng.integers(0, 4, 1200)
pictures = np.stack([draw(kind) for kind in labels])
pictures = pictures[..., np.newaxis].astype("float32") / 255.0
x_train, y_train = pictures[:800], labels[:800]
x_val, y_val = pictures[800:1000], labels[800:1000]
x_test, y_test = pictures[1000:], labels[1000:]

model = keras.Sequential(
    [
        keras.Input(shape=(20, 20, 1)),
        layers.Conv2D(8, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(16, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dropout(0.2),
        layers.Dense(4, activation="softmax"),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=2e-3),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
model.fit(x_train, y_train, batch_size=32, epochs=6, validation_data=(x_val, y_val), verbose=2)
loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
print(f"test: loss {loss:.3f}, accuracy {accuracy:.3f}")
