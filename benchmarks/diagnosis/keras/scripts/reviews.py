"""Is a review friendly? Words become numbers in the model, then an LSTM reads them."""

import random

import tensorflow as tf

SEED = 0
random.seed(SEED)
tf.keras.utils.set_random_seed(SEED)
GOOD = "great lovely warm clever moving funny bright superb".split()
BAD = "dull awful cold clumsy boring sad weak terrible".split()
OTHER = "the film a plot and its cast was with some scenes music ending really quite very".split()


def write(good):
    words = random.choices(OTHER, k=random.randint(6, 14))
    words += random.choices(GOOD if good else BAD, k=3)
    random.shuffle(words)
    return " ".join(words)


labels = [random.randint(0, 1) for _ in range(1000)]
texts = [write(label) for label in labels]
data = tf.data.Dataset.from_tensor_slices((texts, labels))
train_ds = data.take(800).shuffle(800, seed=SEED).batch(32)
valid_ds = data.skip(800).batch(32)

vectorize = tf.keras.layers.TextVectorization(max_tokens=200, output_sequence_length=20)
vectorize.adapt(train_ds.map(lambda text, label: text))

model = tf.keras.Sequential(
    [
        vectorize,
        tf.keras.layers.Embedding(200, 16, mask_zero=True),
        tf.keras.layers.LSTM(16),
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(
    optimizer=tf.keras.optimizers.Adam(5e-3),
    loss=tf.keras.losses.BinaryCrossentropy(),
    metrics=["accuracy"],
)
model.fit(train_ds, validation_data=valid_ds, epochs=4, verbose=2)
answers = model.predict(tf.constant(["a lovely warm film", "a dull awful plot"]), verbose=0)
print(["friendly" if answer > 0.5 else "unfriendly" for answer in answers[:, 0]])
