"""Truth values, reckoned with as if they were numbers."""

import tensorflow as tf


@tf.function
def share(labels: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.not_equal(labels, 0)) / 3


print(share(tf.constant([1, 0, 2])))
