"""Several tags per recipe (multi-label), with a weighted loss in a Trainer subclass."""
import numpy as np
import torch
from datasets import Dataset
from sklearn.metrics import f1_score
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

TAGS = ["spicy", "sweet", "meaty", "baked", "quick"]
CUES = {
    "spicy": ["chili", "harissa", "jalapeno", "cayenne"],
    "sweet": ["honey", "sugar", "caramel", "treacle"],
    "meaty": ["bacon", "mince", "oxtail", "sausage"],
    "baked": ["oven", "crust", "tray", "tin"],
    "quick": ["minutes", "instant", "microwave", "leftover"],
}
RATES = [0.15, 0.3, 0.25, 0.35, 0.2]
PLAIN = "take add stir cook pour onion flour water salt until then with pan bowl serve".split()


def make_recipes(n, seed):
    gen = np.random.default_rng(seed)
    texts, tag_rows = [], []
    for _ in range(n):
        present = (gen.random(len(TAGS)) < RATES).astype(int)
        words = list(gen.choice(PLAIN, size=gen.integers(6, 16)))
        for tag, flag in zip(TAGS, present):
            if flag:
                words.insert(int(gen.integers(0, len(words))), str(gen.choice(CUES[tag])))
        texts.append(" ".join(words))
        tag_rows.append(present.tolist())
    return Dataset.from_dict({"recipe": texts, "tags": tag_rows})


def train_tokenizer(texts):
    tok = Tokenizer(models.BPE(unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=200, special_tokens=["[PAD]", "[UNK]"]))
    return PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="[PAD]", unk_token="[UNK]")


class WeightedTrainer(Trainer):
    def __init__(self, *args, pos_weight=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.pos_weight = pos_weight

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        criterion = torch.nn.BCEWithLogitsLoss(pos_weight=self.pos_weight)
        loss = criterion(outputs.logits, labels)
        return (loss, outputs) if return_outputs else loss


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    probs = 1 / (1 + np.exp(-logits))
    preds = (probs > 0.5).astype(int)
    return {
        "micro_f1": f1_score(labels, preds, average="micro"),
        "all_right": float((preds == labels).all(axis=1).mean()),
    }


if __name__ == "__main__":
    set_seed(23)
    train_set = make_recipes(1800, seed=1)
    valid_set = make_recipes(400, seed=2)
    tokenizer = train_tokenizer(train_set["recipe"])

    def tokenize(batch):
        enc = tokenizer(batch["recipe"], truncation=True, max_length=48)
        enc["labels"] = [[float(v) for v in row] for row in batch["tags"]]
        return enc

    train_tok = train_set.map(tokenize, batched=True, remove_columns=["recipe", "tags"])
    valid_tok = valid_set.map(tokenize, batched=True, remove_columns=["recipe", "tags"])

    share = np.array(train_set["tags"]).mean(axis=0)
    pos_weight = torch.tensor(np.sqrt((1 - share) / share), dtype=torch.float32)

    config = DistilBertConfig(
        vocab_size=len(tokenizer), dim=64, hidden_dim=128, n_layers=2, n_heads=4,
        max_position_embeddings=64, num_labels=len(TAGS),
        problem_type="multi_label_classification",
        id2label=dict(enumerate(TAGS)), label2id={t: i for i, t in enumerate(TAGS)},
    )
    trainer = WeightedTrainer(
        model=DistilBertForSequenceClassification(config),
        args=TrainingArguments(
            output_dir="out_recipes", learning_rate=2e-3, per_device_train_batch_size=32,
            per_device_eval_batch_size=100, num_train_epochs=7, weight_decay=0.01,
            eval_strategy="epoch", save_strategy="no", logging_steps=60, report_to="none",
        ),
        train_dataset=train_tok,
        eval_dataset=valid_tok,
        processing_class=tokenizer,
        compute_metrics=compute_metrics,
        pos_weight=pos_weight,
    )
    trainer.train()
    metrics = trainer.evaluate()
    print("micro f1", round(metrics["eval_micro_f1"], 3), "all tags right", round(metrics["eval_all_right"], 3))
