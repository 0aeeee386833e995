"""A checkpoint goes by a metric that has another name."""

import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
keep = keras.callbacks.ModelCheckpoint("best.keras", monitor="val_acc", save_best_only=True)
x, y = np.ones((40, 3)), np.arange(40) % 2
model.fit(x, y, validation_split=0.5, callbacks=[keep], verbose=0)
