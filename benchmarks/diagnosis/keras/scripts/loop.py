"""Three kinds of measurements, told apart in a training loop by hand."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

SEED = 0
tf.random.set_seed(SEED)
keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)
centres = rng.normal(0, 1.2, (3, 10))
kinds = rng.integers(0, 3, 1200)
rows = (centres[kinds] + rng.normal(0, 1, (1200, 10))).astype("float32")
train = tf.data.Dataset.from_tensor_slices((rows[:900], kinds[:900]))
train = train.shuffle(900).batch(32)
valid = tf.data.Dataset.from_tensor_slices((rows[900:], kinds[900:])).batch(64)

model = keras.Sequential(
    [
        keras.layers.Dense(32, activation="relu"),
        keras.layers.BatchNormalization(),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(3),
    ]
)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = keras.optimizers.Adam(learning_rate=3e-3)
train_loss = keras.metrics.Mean()
valid_accuracy = keras.metrics.SparseCategoricalAccuracy()

for epoch in range(5):
    train_loss.reset_state()
    valid_accuracy.reset_state()
    for x, y in train:
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = loss_fn(y, logits)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        train_loss.update_state(loss)
    for x, y in valid:
        logits = model(x, training=False)
        valid_accuracy.update_state(y, logits)
    print(epoch, float(train_loss.result()), float(valid_accuracy.result()))
