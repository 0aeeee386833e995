"""Nothing may learn."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.trainable = False
opt = tf.keras.optimizers.Adam(0.01)
x, y = tf.ones((8, 4)), tf.ones((8, 1))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.square(model(x) - y))
grads = tape.gradient(loss, model.trainable_variables)
opt.apply_gradients(zip(grads, model.trainable_variables, strict=False))
