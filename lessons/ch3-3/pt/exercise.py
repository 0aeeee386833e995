# %% [markdown]
# # Fine-tune BERT on MRPC with the Trainer
# Two sentences from the news: do they say the same? First we train a model, and score its answers by hand. Then we train a new model, and the Trainer scores it after each epoch.

# %%
from datasets import load_dataset, load_metric
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
    set_seed,
)

checkpoint = "bert-base-cased"

# %% [markdown]
# ## The data

# %%
raw = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def encode(pairs):
    return tokenizer(pairs["sentence1"], pairs["sentence2"], truncation=True)


data = raw.map(encode, batched=True).rename_column("label", "paraphrase")

# %% [markdown]
# ## The first training

# %%
set_seed(42)
model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=1)
args = TrainingArguments(
    "bert-on-mrpc",
    num_train_epochs=2,
    per_device_train_batch_size=16,
    evaluation_strategy="epoch",
    save_strategy="no",
    report_to="none",
)
first = Trainer(
    model,
    args,
    tokenizer=tokenizer,
    train_dataset=data["train"],
)

# %%
first.train()

# %% [markdown]
# ## Its answers, scored by hand

# %%
metric = load_metric("glue", "mrpc")
output = first.predict(data["validation"])
answers = output.predictions.argmax(axis=-1)
by_hand = metric.compute(predictions=answers, references=output.label_ids)
print(by_hand)

# %% [markdown]
# ## The second training, scored by the Trainer
# The seed is the same. So if both ways of scoring are right, their scores are similar.


# %%
def score(prediction):
    logits, labels = prediction
    return metric.compute(predictions=logits, references=labels)


set_seed(args.seed)
second = Trainer(
    model,
    args,
    train_dataset=data["train"],
    eval_dataset=data["validation"],
    tokenizer=tokenizer,
    compute_metrics=score,
)

# %% [markdown]
# First the score of a model that has learned nothing yet. This also tests the scoring, before we wait for an epoch.

# %%
untrained = second.evaluate()
print(untrained)

# %%
second.train()
