import numpy as np
import tf_keras as keras
from datasets import load_dataset
from transformers import AutoTokenizer, TFAutoModelForSequenceClassification

keras.utils.set_random_seed(0)
mnli = load_dataset("glue", "mnli")
tok = AutoTokenizer.from_pretrained("distilbert-base-uncased")


def arrays(split):
    rows = mnli[split].to_pandas()
    enc = tok(
        rows["premise"].tolist(), rows["hypothesis"].tolist(), padding="max_length", truncation=True, max_length=48, return_tensors="np"
    )
    return {"input_ids": enc["input_ids"], "attention_mask": enc["attention_mask"]}, rows["label"].to_numpy()


x, y = arrays("train")
# validation_split takes the last rows: shuffle first
order = np.random.permutation(len(y))
x = {name: values[order] for name, values in x.items()}
y = y[order]

model = TFAutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=3)
model.compile(
    optimizer=keras.optimizers.Adam(5e-5),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=[keras.metrics.SparseCategoricalAccuracy("acc")],
)
history = model.fit(x, y, batch_size=16, epochs=2, validation_split=0.1)
print(history.history)
xv, yv = arrays("validation_matched")
predictions = model.predict(xv, batch_size=32).logits.argmax(-1)
print("accuracy:", (predictions == yv).mean())
