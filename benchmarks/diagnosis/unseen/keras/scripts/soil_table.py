# Which of five crops suits a field? Soil measurements in, crop number out.
import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.metrics import classification_report, f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(11)
rng = np.random.default_rng(11)

CROPS = ["barley", "beet", "clover", "maize", "rye"]
COLUMNS = ["nitrogen", "phosphorus", "potassium", "rainfall_mm", "ph", "clay"]

centres = rng.normal(size=(len(CROPS), 2, len(COLUMNS))) * 1.6
rows = []
for number, crop in enumerate(CROPS):
    for i in range(360):
        point = centres[number, i % 2] + rng.normal(size=len(COLUMNS))
        rows.append(list(point) + [crop])
df = pd.DataFrame(rows, columns=COLUMNS + ["crop"])
df["nitrogen"] = df["nitrogen"] * 25 + 90
df["phosphorus"] = df["phosphorus"] * 15 + 50
df["potassium"] = df["potassium"] * 30 + 120
df["rainfall_mm"] = df["rainfall_mm"] * 2500 + 9000
df["ph"] = df["ph"] * 0.4 + 6.5
df["clay"] = df["clay"] * 0.05 + 0.3

X = df[COLUMNS].to_numpy(dtype="float32")
y = df["crop"].map({c: i for i, c in enumerate(CROPS)}).to_numpy()

X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.25, stratify=y, random_state=3
)

scaler = StandardScaler()
X_train = scaler.fit_transform(X_train)
X_test = scaler.transform(X_test)

model = keras.Sequential([
    keras.Input(shape=(len(COLUMNS),)),
    layers.Dense(48, activation="relu"),
    layers.Dropout(0.1),
    layers.Dense(24, activation="relu"),
    layers.Dense(len(CROPS), activation="softmax"),
])
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=3e-3),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)

history = model.fit(
    X_train, y_train,
    batch_size=32,
    epochs=15,
    validation_split=0.15,
    verbose=2,
)
print("best val accuracy", max(history.history["val_accuracy"]))

loss, acc = model.evaluate(X_test, y_test, verbose=0)
pred = model.predict(X_test, verbose=0).argmax(axis=1)
print(classification_report(y_test, pred, target_names=CROPS, zero_division=0))
print("macro F1", f1_score(y_test, pred, average="macro"))
print(f"test loss {loss:.3f}")
print(f"RESULT {acc:.4f}")
