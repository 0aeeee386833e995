# fit with numpy arrays, callbacks, the transformers model itself
import json
import numpy as np
import tf_keras
from datasets import load_dataset
from transformers import AutoTokenizer, TFAutoModelForSequenceClassification

tf_keras.utils.set_random_seed(42)
raw = load_dataset("glue", "mnli")
tok = AutoTokenizer.from_pretrained("distilbert-base-uncased")


def arrays(split):
    enc = tok(raw[split]["premise"][:], raw[split]["hypothesis"][:], truncation=True, max_length=48,
              padding="max_length", return_tensors="np")
    return {"input_ids": enc["input_ids"], "attention_mask": enc["attention_mask"]}, np.asarray(raw[split]["label"][:])


x_train, y_train = arrays("train")
x_val, y_val = arrays("validation_matched")
model = TFAutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=3)
model.compile(optimizer=tf_keras.optimizers.Adam(learning_rate=5e-5, clipnorm=1.0),
              loss=tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
history = model.fit(x_train, y_train, validation_data=(x_val, y_val), epochs=3, batch_size=16,
                    callbacks=[tf_keras.callbacks.EarlyStopping(patience=1, restore_best_weights=True),
                               tf_keras.callbacks.CSVLogger("log.csv"),
                               tf_keras.callbacks.LambdaCallback(on_epoch_end=lambda e, logs: print(e, logs))])
json.dump({k: [float(x) for x in v] for k, v in history.history.items()}, open("history.json", "w"))
