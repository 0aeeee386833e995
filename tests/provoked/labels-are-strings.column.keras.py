"""A column of words is the target, as pandas itself keeps it."""

import keras
import numpy as np
import pandas as pd

table = pd.DataFrame({"a": np.random.rand(60), "kind": ["cat", "dog", "cow"] * 20})
model = keras.Sequential([keras.layers.Dense(3, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(table[["a"]].values, table["kind"].values, epochs=1)
