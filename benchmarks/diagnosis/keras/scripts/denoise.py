"""An autoencoder, a model of our own, cleans noisy curves."""

import keras
import numpy as np

SEED = 0
keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)
t = np.linspace(0, 1, 32)
speed = rng.integers(1, 4, (1500, 1))
start = rng.uniform(0, 2 * np.pi, (1500, 1))
clean = (0.5 + 0.4 * np.sin(2 * np.pi * speed * t + start)).astype("float32")
noisy = (clean + rng.normal(0, 0.15, clean.shape)).astype("float32")
clean_train, clean_val = clean[:1200], clean[1200:]
noisy_train, noisy_val = noisy[:1200], noisy[1200:]


class Autoencoder(keras.Model):
    def __init__(self, width, size):
        super().__init__()
        self.encoder = keras.Sequential(
            [
                keras.layers.Dense(48, activation="relu"),
                keras.layers.Dense(width, activation="relu"),
            ]
        )
        self.decoder = keras.Sequential(
            [
                keras.layers.Dense(48, activation="relu"),
                keras.layers.Dense(size, activation="sigmoid"),
            ]
        )

    def call(self, x):
        code = self.encoder(x)
        return self.decoder(code)


autoencoder = Autoencoder(12, 32)
autoencoder.compile(optimizer=keras.optimizers.Adam(3e-3), loss="mean_squared_error")
autoencoder.fit(
    noisy_train,
    clean_train,
    epochs=10,
    batch_size=32,
    shuffle=True,
    validation_data=(noisy_val, clean_val),
    verbose=2,
)
cleaned = autoencoder.predict(noisy_val, verbose=0)
print("left over:", float(np.mean((cleaned - clean_val) ** 2)))
print("noise was:", float(np.mean((noisy_val - clean_val) ** 2)))
