"""A column of the table is text."""

import keras
import numpy as np
import pandas as pd

df = pd.DataFrame(
    {"age": np.random.rand(64), "city": ["rome", "lima"] * 32, "y": np.random.randint(0, 2, 64)}
)
features = df[["age", "city"]].values
target = df["y"].values
model = keras.Sequential([keras.layers.Dense(8), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(features, target, epochs=1, verbose=0)
