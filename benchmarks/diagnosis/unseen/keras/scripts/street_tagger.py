"""Tag every token of an address line: number, street, town, other. Padded sequences, masked loss."""
import numpy as np
import tensorflow as tf
import keras
from keras import layers

TAGS = {"<pad>": 0, "O": 1, "NUM": 2, "STREET": 3, "TOWN": 4}
NAMES = ["ash", "birch", "cedar", "holly", "king", "mill", "queen", "rose", "station", "york"]
KINDS = ["road", "lane", "street", "avenue"]
OTHER = ["please", "send", "it", "to", "near", "in", "the", "by", "for", "mr"]
MAX_LEN = 24
BATCH = 32


def make_line(rng):
    tokens, tags = [], []

    def add(words, tag):
        tokens.extend(words)
        tags.extend([tag] * len(words))

    add(rng.choice(OTHER, rng.integers(0, 5)), "O")
    for _ in range(rng.integers(1, 3)):
        if rng.random() < 0.7:
            if rng.random() < 0.7:
                add([str(rng.integers(1, 60))], "NUM")
            add([rng.choice(NAMES), rng.choice(KINDS)], "STREET")
        add(rng.choice(["in", "near", "by", "for"], 1), "O")
        if rng.random() < 0.7:
            add([rng.choice(NAMES)], "TOWN")        # "york" alone is a town, "york road" a street
        add(rng.choice(OTHER, rng.integers(0, 3)), "O")
    words = [str(w) if rng.random() > 0.04 else str(w)[::-1] for w in tokens]   # slips of the pen
    return words, tags


def encode(lines, vocab):
    ids = [[vocab.get(w, 1) for w in words] for words, _ in lines]
    tags = [[TAGS[t] for t in ts] for _, ts in lines]
    ids = keras.utils.pad_sequences(ids, maxlen=MAX_LEN, padding="post")
    tags = keras.utils.pad_sequences(tags, maxlen=MAX_LEN, padding="post")
    return ids, tags


def build(vocab_size):
    words = keras.Input(shape=(None,), dtype="int32")
    h = layers.Embedding(vocab_size, 24, mask_zero=True)(words)
    h = layers.Bidirectional(layers.GRU(20, return_sequences=True))(h)
    h = layers.Dropout(0.2)(h)
    scores = layers.Dense(len(TAGS))(h)
    return keras.Model(words, scores)


def masked_loss(y_true, y_pred):
    each = keras.losses.sparse_categorical_crossentropy(y_true, y_pred, from_logits=True)
    mask = tf.cast(tf.not_equal(y_true, 0), each.dtype)
    return tf.reduce_sum(each * mask) / tf.reduce_sum(mask)


def token_scores(model, ids, tags):
    guess = np.argmax(model.predict(ids, verbose=0), axis=-1)
    real = tags != 0
    accuracy = (guess[real] == tags[real]).mean()
    for name, number in TAGS.items():
        if number == 0:
            continue
        hit = np.sum((guess == number) & (tags == number) & real)
        found = np.sum((guess == number) & real)
        there = np.sum((tags == number) & real)
        print(f"  {name:7s} precision {hit / max(found, 1):.3f} recall {hit / max(there, 1):.3f}")
    return accuracy


def main():
    keras.utils.set_random_seed(13)
    rng = np.random.default_rng(13)
    lines = [make_line(rng) for _ in range(1500)]
    train, test = lines[:1100], lines[1100:]

    vocab = {"<pad>": 0, "<unk>": 1}
    for words, _ in train:
        for w in words:
            vocab.setdefault(w, len(vocab))

    x_train, y_train = encode(train, vocab)
    x_test, y_test = encode(test, vocab)
    model = build(len(vocab))
    model.compile(optimizer=keras.optimizers.Adam(0.01, clipnorm=1.0), loss=masked_loss)
    model.fit(x_train, y_train, batch_size=BATCH, epochs=3, validation_split=0.1, verbose=2)

    accuracy = token_scores(model, x_test, y_test)
    print(f"RESULT {accuracy:.4f}")


main()
