"""Rates a support conversation (customer message, agent reply): 0 bad, 1 mixed, 2 good."""
import os
import random
import tempfile

import numpy as np
from datasets import Dataset, DatasetDict
from sklearn.metrics import accuracy_score, f1_score
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertTokenizerFast,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 11
ITEMS = "router printer phone invoice parcel keyboard screen charger".split()
HAPPY = "works arrived shines fits helps lasts".split()
ANGRY = "broke vanished smokes leaks fails rattles".split()
KIND = "sorry refund replacement voucher courier tomorrow".split()
RUDE = "impossible never closed refused wrong nonsense".split()
FILLER = "the my is and it was really today for you we this".split()


def sentence(rng, keyword):
    words = [rng.choice(FILLER) for _ in range(rng.randint(3, 10))]
    words.insert(rng.randrange(len(words) + 1), keyword)
    words.insert(rng.randrange(len(words) + 1), rng.choice(ITEMS))
    return " ".join(words)


def make_rows(n, rng):
    rows = {"message": [], "reply": [], "rating": []}
    for _ in range(n):
        glad, polite = rng.random() < 0.5, rng.random() < 0.5
        rows["message"].append(sentence(rng, rng.choice(HAPPY if glad else ANGRY)))
        rows["reply"].append(sentence(rng, rng.choice(KIND if polite else RUDE)))
        rows["rating"].append(int(glad) + int(polite))
    return rows


def build_tokenizer(folder):
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words += sorted(set(ITEMS + HAPPY + ANGRY + KIND + RUDE + FILLER))
    path = os.path.join(folder, "vocab.txt")
    with open(path, "w") as f:
        f.write("\n".join(words))
    return BertTokenizerFast(vocab=path, model_max_length=48)


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=-1)
    return {
        "accuracy": accuracy_score(labels, predictions),
        "f1": f1_score(labels, predictions, average="macro"),
    }


def main():
    set_seed(SEED)
    rng = random.Random(SEED)
    folder = tempfile.mkdtemp()
    tokenizer = build_tokenizer(folder)
    data = DatasetDict(
        train=Dataset.from_dict(make_rows(1600, rng)),
        test=Dataset.from_dict(make_rows(400, rng)),
    )

    def preprocess(batch):
        return tokenizer(batch["message"], batch["reply"], truncation=True)

    encoded = data.map(preprocess, batched=True, remove_columns=["message", "reply"])
    encoded = encoded.rename_column("rating", "labels")

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
        num_labels=3,
    )
    model = BertForSequenceClassification(config)

    args = TrainingArguments(
        output_dir=folder,
        learning_rate=1e-3,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=64,
        num_train_epochs=6,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=50,
        report_to="none",
        seed=SEED,
    )
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=encoded["train"],
        eval_dataset=encoded["test"],
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    result = trainer.evaluate()
    print(f"held-out accuracy {result['eval_accuracy']:.3f}  macro f1 {result['eval_f1']:.3f}")


if __name__ == "__main__":
    main()
