"""An optimizer that Keras has dropped."""

import tensorflow as tf

opt = tf.keras.optimizers.legacy.Adam(1e-3)
