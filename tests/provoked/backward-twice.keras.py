"""A tape is asked for gradients a second time."""

import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape() as tape:
    loss = weight**2
tape.gradient(loss, weight)
tape.gradient(loss, weight)
