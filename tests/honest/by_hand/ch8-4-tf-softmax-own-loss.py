# schedule, own loss object, softmax in the model, functions, main guard
import math
import tensorflow as tf
import tf_keras
from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorWithPadding, TFAutoModel

CKPT, LENGTH, BATCH, EPOCHS = "distilbert-base-uncased", 48, 16, 2


def get_data(tokenizer):
    def tokenize(b):
        return tokenizer(b["premise"], b["hypothesis"], truncation=True, max_length=LENGTH)

    tokenized = load_dataset("glue", "mnli").map(tokenize, batched=True)
    pad = DataCollatorWithPadding(tokenizer, padding="max_length", max_length=LENGTH, return_tensors="tf")
    kw = dict(columns=["attention_mask", "input_ids"], label_cols=["labels"], batch_size=BATCH, collate_fn=pad)
    return tokenized["train"].to_tf_dataset(shuffle=True, **kw), tokenized["validation_matched"].to_tf_dataset(shuffle=False, **kw)


def get_model():
    encoder = TFAutoModel.from_pretrained(CKPT)
    ids = tf_keras.Input((LENGTH,), dtype=tf.int32, name="input_ids")
    mask = tf_keras.Input((LENGTH,), dtype=tf.int32, name="attention_mask")
    hidden = encoder(input_ids=ids, attention_mask=mask).last_hidden_state
    pooled = tf_keras.layers.Dropout(0.1)(hidden[:, 0])
    return tf_keras.Model({"input_ids": ids, "attention_mask": mask}, tf_keras.layers.Dense(3, activation="softmax")(pooled))


class MyLoss(tf_keras.losses.Loss):
    def call(self, y_true, y_pred):
        return tf_keras.losses.sparse_categorical_crossentropy(tf.reshape(y_true, [-1]), y_pred)


def main():
    tf_keras.utils.set_random_seed(42)
    train, val = get_data(AutoTokenizer.from_pretrained(CKPT))
    steps = EPOCHS * len(train)
    lr = tf_keras.optimizers.schedules.PolynomialDecay(5e-5, decay_steps=steps, end_learning_rate=0.0)
    model = get_model()
    model.compile(optimizer=tf_keras.optimizers.AdamW(lr, weight_decay=0.01), loss=MyLoss(), metrics=["accuracy"])
    model.fit(train, validation_data=val, epochs=EPOCHS, verbose=2,
              callbacks=[tf_keras.callbacks.ModelCheckpoint("best", save_best_only=True, save_weights_only=True, monitor="val_loss"),
                         tf_keras.callbacks.TensorBoard("tb")])


if __name__ == "__main__":
    main()
