"""The labels are a column of words."""

import keras
import numpy as np
import pandas as pd

df = pd.DataFrame({"a": np.random.rand(64), "b": np.random.rand(64), "kind": ["cat", "dog"] * 32})
features = df[["a", "b"]]
target = df["kind"]
model = keras.Sequential([keras.layers.Dense(8), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(features, target, epochs=1, verbose=0)
