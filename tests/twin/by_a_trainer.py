"""A Trainer on the embedded hub, with callbacks, a metric and a model that counts its passes."""

import numpy as np
from datasets import Dataset
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)  # fmt: skip

set_seed(30)
COUNTS = {"passes": 0, "metric": 0, "steps": 0, "words": 0}
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


class Counting(BertForSequenceClassification):
    def forward(self, *args, **kwargs):
        COUNTS["passes"] += 1
        return super().forward(*args, **kwargs)


class Steps(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        COUNTS["steps"] += 1

    def on_log(self, args, state, control, logs=None, **kwargs):
        COUNTS["words"] += len(logs)


words = ["good", "bad", "long", "short", "old", "new", "quick", "slow"]
texts = [f"{words[n % 8]} {words[n * 3 % 8]} {words[n * 5 % 7]}" for n in range(48)]
raw = Dataset.from_dict({"text": texts, "label": [n % 8 % 2 for n in range(48)]})
data = raw.map(lambda row: tokenizer(row["text"]), remove_columns=["text"])
split = data.train_test_split(16, seed=1)


def measure(evaluated):
    COUNTS["metric"] += 1
    return {"right": float(np.mean(evaluated.predictions.argmax(-1) == evaluated.label_ids))}


config = BertConfig(
    vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
    intermediate_size=16,
)  # fmt: skip
arguments = TrainingArguments(
    "out", num_train_epochs=2, per_device_train_batch_size=8, eval_strategy="epoch",
    save_strategy="epoch", logging_steps=2, learning_rate=1e-3, report_to="none", disable_tqdm=True,
    use_cpu=True, remove_unused_columns=False, label_names=["labels"],
)  # fmt: skip
trainer = Trainer(
    Counting(config), arguments, train_dataset=split["train"], eval_dataset=split["test"],
    data_collator=DataCollatorWithPadding(tokenizer), compute_metrics=measure, callbacks=[Steps()],
)  # fmt: skip
trainer.train()
answers = trainer.predict(split["test"]).predictions
print(
    COUNTS,
    answers.shape,
    [type(c).__name__ for c in trainer.callback_handler.callbacks],
)
print([sorted(set(each) - {"epoch"}) for each in trainer.state.log_history])
