"""Numbers of classes, with a point."""

import tensorflow as tf

labels, outputs = tf.constant([0.0, 1.0]), tf.eye(2)
print(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=outputs))
