"""Base network trained on many drawn glyphs, then reused for a few pictures of new ones."""
import numpy as np
import tensorflow as tf
import keras
from keras import layers
from keras.callbacks import EarlyStopping, ReduceLROnPlateau

AUTOTUNE = tf.data.AUTOTUNE
SIZE = 16
keras.utils.set_random_seed(77)
rng = np.random.default_rng(77)


def draw(kind):
    img = np.zeros((SIZE, SIZE), dtype="float32")
    r, c = rng.integers(2, 6, 2)
    n = rng.integers(7, 9)
    if kind == 0:                                   # bar across
        img[r + 3:r + 5, c:c + n] = 1
    elif kind == 1:                                 # bar down
        img[r:r + n, c + 3:c + 5] = 1
    elif kind == 2:                                 # square
        img[r:r + n, c:c + n] = 1
        img[r + 2:r + n - 2, c + 2:c + n - 2] = 0
    elif kind == 3:                                 # diagonal
        for i in range(n):
            img[r + i, c + i:c + i + 2] = 1
    elif kind == 4:                                 # plus
        img[r + 3:r + 5, c:c + n] = 1
        img[r:r + n, c + 3:c + 5] = 1
    elif kind == 5:                                 # T
        img[r:r + 2, c:c + n] = 1
        img[r:r + n, c + 3:c + 5] = 1
    elif kind == 6:                                 # cross
        for i in range(n):
            img[r + i, c + i] = img[r + i, c + n - 1 - i] = 1
            img[r + i, c + i - 1] = 1
    else:                                           # U
        img[r:r + n, c:c + 2] = img[r:r + n, c + n - 2:c + n] = 1
        img[r + n - 2:r + n, c:c + n] = 1
    img += rng.normal(0, 0.2, img.shape)
    return np.clip(img * 255, 0, 255)[..., None].astype("float32")


def pictures(kinds, n):
    y = rng.integers(0, len(kinds), n)
    x = np.stack([draw(kinds[k]) for k in y])
    return x, y


def pipeline(x, y, train=False, batch_size=32):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    if train:
        ds = ds.shuffle(len(x))
    ds = ds.batch(batch_size)
    if train:
        ds = ds.map(lambda a, b: (augment(a, training=True), b), num_parallel_calls=AUTOTUNE)
    return ds.prefetch(AUTOTUNE)


augment = keras.Sequential([
    layers.RandomTranslation(0.06, 0.06, fill_mode="constant"),
    layers.RandomContrast(0.2, value_range=(0, 255)),
])

base = keras.Sequential([
    layers.Input((SIZE, SIZE, 1)),
    layers.Rescaling(1.0 / 255),
    layers.Conv2D(12, 3, padding="same", use_bias=False),
    layers.BatchNormalization(momentum=0.9),
    layers.ReLU(),
    layers.MaxPooling2D(),
    layers.Conv2D(24, 3, padding="same", activation="relu"),
    layers.MaxPooling2D(),
    layers.Flatten(),
    layers.Dense(32, activation="relu"),
], name="base")

# 1. the base learns five glyphs of which there are plenty
old_x, old_y = pictures([0, 1, 2, 3, 4], 1200)
pretrain = keras.Sequential([base, layers.Dense(5, activation="softmax")])
pretrain.compile(keras.optimizers.Adam(2e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
pretrain.fit(pipeline(old_x, old_y, train=True), epochs=4, verbose=2)

# 2. a new head for four glyphs, the base stays as it is
x, y = pictures([4, 5, 6, 7], 660)
x_train, y_train = x[:200], y[:200]
x_val, y_val = x[200:360], y[200:360]
x_test, y_test = x[360:], y[360:]

base.trainable = False
inputs = keras.Input((SIZE, SIZE, 1))
features = base(inputs, training=False)
outputs = layers.Dense(4, activation="softmax")(features)
model = keras.Model(inputs, outputs)

train_ds = pipeline(x_train, y_train, train=True)
val_ds = pipeline(x_val, y_val)
test_ds = pipeline(x_test, y_test)

model.compile(keras.optimizers.Adam(5e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(train_ds, validation_data=val_ds, epochs=6, verbose=2)
print("after the head:", model.evaluate(test_ds, verbose=0)[1])

# 3. everything together with a small rate
base.trainable = True
model.compile(keras.optimizers.Adam(1e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(
    train_ds,
    validation_data=val_ds,
    epochs=14,
    verbose=2,
    callbacks=[
        EarlyStopping(monitor="val_loss", patience=5, restore_best_weights=True),
        ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=2),
    ],
)

test_loss, test_acc = model.evaluate(test_ds, verbose=0)
print(f"RESULT {test_acc:.4f}")
