"""Kind or unkind? Short made-up hotel reviews, TextVectorization -> Embedding -> LSTM."""
import random

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.layers import LSTM, Dense, Dropout, Embedding, TextVectorization

random.seed(8)
keras.utils.set_random_seed(8)

GOOD = ["lovely", "clean", "quiet", "friendly", "superb", "cosy", "bright"]
BAD = ["dirty", "noisy", "rude", "broken", "awful", "damp", "dark"]
THINGS = ["room", "staff", "breakfast", "pool", "bed", "view", "lift", "bar"]
FILLER = ["and", "the", "we", "stayed", "two", "nights", "there", "in", "may", "again"]


def clause(positive):
    words = GOOD if positive else BAD
    if random.random() < 0.35:      # "not dirty" is praise
        words = BAD if positive else GOOD
        return f"the {random.choice(THINGS)} was not {random.choice(words)}"
    return f"the {random.choice(THINGS)} was {random.choice(words)}"


def review(positive):
    parts = [clause(positive) for _ in range(random.randint(1, 3))]
    parts.insert(0, " ".join(random.choices(FILLER, k=random.randint(0, 4))))
    return " ".join(parts).strip()


labels = [i % 2 for i in range(2400)]
texts = [review(bool(lab)) for lab in labels]

train_texts, test_texts = texts[:1800], texts[1800:]
train_labels = np.array(labels[:1800], dtype="float32")
test_labels = np.array(labels[1800:], dtype="float32")

MAX_WORDS = 200
MAX_LEN = 20

vectorize = TextVectorization(max_tokens=MAX_WORDS, output_sequence_length=MAX_LEN)
vectorize.adapt(train_texts)

train_ids = vectorize(tf.constant(train_texts))
test_ids = vectorize(tf.constant(test_texts))

model = keras.Sequential()
model.add(Embedding(input_dim=MAX_WORDS, output_dim=16, mask_zero=True))
model.add(LSTM(16))
model.add(Dropout(0.2))
model.add(Dense(1, activation="sigmoid"))

model.compile(
    loss="binary_crossentropy",
    optimizer=keras.optimizers.RMSprop(learning_rate=0.01),
    metrics=["accuracy", keras.metrics.AUC(name="auc")],
)
model.fit(train_ids, train_labels, epochs=6, batch_size=64, validation_split=0.1, verbose=2)
model.summary()

loss, accuracy, auc = model.evaluate(test_ids, test_labels, verbose=0)
probs = model.predict(test_ids, verbose=0).ravel()
verdict = (probs > 0.5).astype(int)
print("share called kind:", verdict.mean())
for text, p in list(zip(test_texts, probs))[:5]:
    print(f"{p:.2f}  {text}")
print("AUC", round(auc, 4))
print("RESULT", round(float((verdict == test_labels).mean()), 4))
