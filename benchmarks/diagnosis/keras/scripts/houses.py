"""What does a house cost? A functional model over a table, its columns normalised."""

import keras
import numpy as np

SEED = 0
keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)
n = 1500
area = rng.uniform(30, 250, n)
year = rng.integers(1900, 2024, n)
rooms = rng.integers(1, 8, n)
distance = rng.exponential(8000, n)
price = 0.02 * area + 0.01 * (year - 1960) + 0.2 * rooms - distance / 10000
price = price + rng.normal(0, 0.1, n)
table = np.stack([area, year, rooms, distance], axis=1).astype("float32")
target = price.astype("float32")
order = rng.permutation(n)
train, valid = order[:1200], order[1200:]

normalize = keras.layers.Normalization()
normalize.adapt(table[train])
inputs = keras.Input(shape=(4,), name="house")
x = normalize(inputs)
x = keras.layers.Dense(32, activation="relu")(x)
x = keras.layers.Dense(16, activation="relu")(x)
outputs = keras.layers.Dense(1)(x)
model = keras.Model(inputs, outputs)

optimizer = keras.optimizers.Adam(learning_rate=5e-3)
model.compile(optimizer=optimizer, loss="mse", metrics=["mae"])
stop = keras.callbacks.EarlyStopping(monitor="val_loss", patience=4, restore_best_weights=True)
history = model.fit(
    table[train],
    target[train],
    validation_data=(table[valid], target[valid]),
    batch_size=32,
    epochs=12,
    callbacks=[stop],
    verbose=0,
)
print("best:", min(history.history["val_mae"]))
predicted = model.predict(table[valid], verbose=0)[:, 0]
print("off by", np.abs(predicted - target[valid]).mean())
