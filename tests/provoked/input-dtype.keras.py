"""A product of 64 bits and 32."""

import numpy as np
import tensorflow as tf

w = tf.Variable(tf.random.normal((4, 1)))
x = np.random.rand(64, 4)
print(tf.matmul(tf.constant(x), w))
