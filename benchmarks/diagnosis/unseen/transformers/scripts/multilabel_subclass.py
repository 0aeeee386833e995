"""Tag short tickets with several topics each: BCE with positive weights in a Trainer of our own."""
import random

import numpy as np
import torch
from torch import nn
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(0)
rng = random.Random(0)

TOPICS = {
    "billing": ["invoice", "charge", "refund", "card", "payment"],
    "login": ["password", "account", "locked", "signin", "email"],
    "shipping": ["parcel", "courier", "delivery", "late", "address"],
    "hardware": ["screen", "battery", "cable", "broken", "button"],
}
FILLER = "the my please is was and help with about again since yesterday today a still not i you".split()
label_names = list(TOPICS)


def make_ticket():
    active = [rng.random() < 0.3 for _ in label_names]
    words = [rng.choice(FILLER) for _ in range(rng.randint(5, 14))]
    for name, on in zip(label_names, active):
        if on:
            words.insert(rng.randrange(len(words) + 1), rng.choice(TOPICS[name]))
    return {"text": " ".join(words), "labels": [float(on) for on in active]}


rows = [make_ticket() for _ in range(1500)]
vocab = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3}
for word in FILLER + [w for ws in TOPICS.values() for w in ws]:
    vocab.setdefault(word, len(vocab))
backend = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
backend.pre_tokenizer = pre_tokenizers.Whitespace()
backend.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
)
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
)


def preprocess(batch):
    return tokenizer(batch["text"], truncation=True, max_length=32, padding="max_length")


dataset = Dataset.from_list(rows).map(preprocess, batched=True, remove_columns=["text"])
splits = dataset.train_test_split(test_size=0.2, seed=0)

config = DistilBertConfig(
    vocab_size=len(vocab), dim=48, hidden_dim=96, n_layers=2, n_heads=4, max_position_embeddings=32,
    num_labels=len(label_names), problem_type="multi_label_classification",
)
model = DistilBertForSequenceClassification(config)

targets = np.array(splits["train"]["labels"])
positives = targets.sum(axis=0)
pos_weight = torch.tensor((len(targets) - positives) / positives, dtype=torch.float)


class WeightedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss_fct = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
        loss = loss_fct(outputs.logits, labels.float())
        return (loss, outputs) if return_outputs else loss


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    probs = 1 / (1 + np.exp(-logits))
    preds = (probs > 0.5).astype(int)
    labels = labels.astype(int)
    tp = (preds * labels).sum()
    f1 = 2 * tp / (preds.sum() + labels.sum())
    exact = (preds == labels).all(axis=1).mean()
    return {"micro_f1": float(f1), "exact": float(exact)}


args = TrainingArguments(
    output_dir="tickets",
    num_train_epochs=5,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=64,
    learning_rate=3e-3,
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=20,
    report_to=[],
)
trainer = WeightedTrainer(
    model=model, args=args, train_dataset=splits["train"], eval_dataset=splits["test"],
    compute_metrics=compute_metrics,
)
trainer.train()
result = trainer.evaluate()
print("RESULT %.4f" % result["eval_micro_f1"])
