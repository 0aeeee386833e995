"""A compiled step makes its optimizer."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])


@tf.function
def step(x, y):
    opt = tf.keras.optimizers.Adam(0.01)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    grads = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(grads, model.trainable_variables, strict=False))
    return loss


x = tf.constant(np.random.rand(64, 4).astype("float32"))
y = tf.constant(np.random.rand(64, 1).astype("float32"))
for _i in range(3):
    step(x, y)
