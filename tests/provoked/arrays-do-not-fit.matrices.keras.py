"""A product by hand of sizes that do not fit."""

import tensorflow as tf

w = tf.Variable(tf.random.normal((5, 1)))
x = tf.random.normal((64, 4))
print(tf.matmul(x, w))
