import joblib, pickle, json, os, platform
import numpy as np
from functools import partial
from collections import Counter
import evaluate
from datasets import load_dataset, DatasetDict
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments, default_data_collator
os.system("nvidia-smi")
os.system("pip install -q evaluate")
print(platform.platform(), os.cpu_count())

SEED = int(os.environ.get("SEED", "1"))
raw = load_dataset("glue", "mnli")
small = DatasetDict({
    "train": raw["train"].shuffle(seed=SEED).select(range(2000)),
    "dev": raw["validation_matched"],
})
print(Counter(small["train"]["label"]))
tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")

def enc(batch, tokenizer, n):
    return tokenizer(text=batch["premise"], text_pair=batch["hypothesis"], max_length=n, padding="max_length", truncation=True)

small = small.map(partial(enc, tokenizer=tokenizer, n=48), batched=True)
assert all(len(r) == 48 for r in small["train"][:10]["input_ids"])
model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=3)
metric = evaluate.combine(["accuracy"])

def compute(p):
    preds = np.argmax(p[0], -1)
    return metric.compute(predictions=preds, references=p[1])

trainer = Trainer(
    model=model,
    args=TrainingArguments(output_dir="o", num_train_epochs=3, learning_rate=4e-5, eval_strategy="steps", eval_steps=50,
                           save_strategy="no", report_to="none", seed=SEED, lr_scheduler_type="constant"),
    train_dataset=small["train"], eval_dataset=small["dev"],
    data_collator=default_data_collator, compute_metrics=compute)
trainer.train()
out = trainer.predict(small["dev"])
joblib.dump(out.metrics, "metrics.joblib")
pickle.dump(out.predictions, open("p.pkl", "wb"))
again = pickle.load(open("p.pkl", "rb"))
print(joblib.load("metrics.joblib"), again.shape)
json.dump(trainer.state.log_history, open("log.json", "w"))
try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    plt.plot([h["loss"] for h in trainer.state.log_history if "loss" in h])
    plt.title("loss")
    plt.savefig("loss.png")
except Exception as e:
    print("no plot", e)
