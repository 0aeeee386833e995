# %% [markdown]
# # Fine-tune DistilBERT on MNLI
# The model reads two sentences. Does the second follow from the first, contradict it, or neither?

# %%
import evaluate
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(42)

# %% [markdown]
# ## The data

# %%
raw = load_dataset("glue", "mnli")
checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(pairs):
    return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True)


tokenized = raw.map(tokenize, batched=True)

# %% [markdown]
# ## The model and the settings of the training

# %%
model = AutoModelForSequenceClassification.from_pretrained(checkpoint)

args = TrainingArguments(
    "distilbert-on-mnli",
    learning_rate=2e-5,
    num_train_epochs=3,
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
)

# %% [markdown]
# ## The metric

# %%
metric = evaluate.load("glue", "mnli")


def compute_metrics(prediction):
    logits, labels = prediction
    return metric.compute(predictions=logits, references=labels)


# %% [markdown]
# ## Training

# %%
trainer = Trainer(
    model,
    args,
    train_dataset=raw["train"],
    eval_dataset=raw["validation_matched"],
    compute_metrics=compute_metrics,
)

# %%
trainer.train()
