"""Hotel reviews (title + text) into negative / mixed / positive with a tiny BERT and the Trainer."""
import random
import tempfile

import numpy as np
from datasets import Dataset
from sklearn.metrics import accuracy_score, f1_score
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (BertConfig, BertForSequenceClassification, DataCollatorWithPadding,
                          PreTrainedTokenizerFast, Trainer, TrainingArguments, set_seed)

set_seed(8)
random.seed(8)

GOOD = ["lovely", "clean", "quiet", "friendly", "comfortable", "tasty"]
BAD = ["dirty", "noisy", "rude", "broken", "cold", "overpriced"]
NOUNS = ["room", "staff", "breakfast", "bed", "view", "bathroom"]
FILL = ["really", "honestly", "we", "stayed", "there", "in", "may", "overall", "quite"]


def opinion(sign):
    noun = random.choice(NOUNS)
    if random.random() < 0.25:
        return f"{noun} was not {random.choice(BAD if sign > 0 else GOOD)}"
    return f"{noun} was {random.choice(GOOD if sign > 0 else BAD)}"


def make_rows(n):
    rows = []
    for _ in range(n):
        title_sign = random.choice([-1, 1])
        body_sign = random.choice([-1, 1])
        title = opinion(title_sign)
        body = f"{' '.join(random.choices(FILL, k=random.randint(1, 8)))} the {opinion(body_sign)}"
        label = 1 + (title_sign + body_sign) // 2
        if random.random() < 0.03:
            label = random.randint(0, 2)
        rows.append({"title": title, "body": body, "label": label})
    return rows


train_ds = Dataset.from_list(make_rows(2000))
test_ds = Dataset.from_list(make_rows(400))

words = sorted({w for r in train_ds for w in (r["title"] + " " + r["body"]).split()})
vocab = {w: i for i, w in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + words)}
raw = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
raw.pre_tokenizer = pre_tokenizers.Whitespace()
raw.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
    special_tokens=[("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])])
tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, pad_token="[PAD]", unk_token="[UNK]",
                                    cls_token="[CLS]", sep_token="[SEP]")


def preprocess(batch):
    return tokenizer(batch["title"], batch["body"], truncation=True, max_length=40)


train_tok = train_ds.map(preprocess, batched=True, remove_columns=["title", "body"])
test_tok = test_ds.map(preprocess, batched=True, remove_columns=["title", "body"])

config = BertConfig(vocab_size=len(vocab), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                    intermediate_size=96, max_position_embeddings=64, num_labels=3,
                    hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
                    initializer_range=0.05)
model = BertForSequenceClassification(config)


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    preds = np.argmax(logits, axis=-1)
    return {"accuracy": accuracy_score(labels, preds), "f1": f1_score(labels, preds, average="macro")}


with tempfile.TemporaryDirectory() as out_dir:
    args = TrainingArguments(
        output_dir=out_dir,
        num_train_epochs=5,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=100,
        learning_rate=2e-3,
        lr_scheduler_type="linear",
        warmup_steps=40,
        weight_decay=0.01,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=75,
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
        seed=8,
    )
    trainer = Trainer(model=model, args=args, train_dataset=train_tok, eval_dataset=test_tok,
                      data_collator=DataCollatorWithPadding(tokenizer), compute_metrics=compute_metrics)
    trainer.train()
    metrics = trainer.evaluate()
print({k: round(v, 4) for k, v in metrics.items() if k in ("eval_loss", "eval_accuracy", "eval_f1")})
