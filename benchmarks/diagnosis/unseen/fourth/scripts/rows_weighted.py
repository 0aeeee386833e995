import numpy as np
import torch
from datasets import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(77)
rng = np.random.default_rng(77)


def crowd(n, noisy):
    toks = rng.integers(5, 40, (n, 10))
    truth = (toks[:, :] < 15).sum(1) >= 3
    label = truth.astype(int)
    trust = np.ones(n)
    if noisy:
        sloppy = rng.random(n) < 0.6           # annotators that mostly answer the opposite
        wrong = sloppy & (rng.random(n) < 0.9)
        label = np.where(wrong, 1 - label, label)
        trust = np.where(sloppy, 0.02, 1.0)
    return Dataset.from_dict({"input_ids": toks.tolist(), "attention_mask": np.ones((n, 10), int).tolist(),
                              "labels": label.tolist(), "trust": trust.tolist()})


class TrustTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        trust = inputs.pop("trust", None)
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = torch.nn.functional.cross_entropy(outputs.logits, labels, reduction="none")
        if trust is not None:
            loss = loss * trust
        loss = loss.mean()
        return (loss, {"logits": outputs.logits}) if return_outputs else loss


def metrics(p):
    logits = p.predictions[0] if isinstance(p.predictions, tuple) else p.predictions
    return {"accuracy": float((logits.argmax(-1) == p.label_ids).mean())}


config = BertConfig(vocab_size=40, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=64, max_position_embeddings=16, num_labels=2)
args = TrainingArguments(output_dir="trust-out", num_train_epochs=5, per_device_train_batch_size=32,
                         learning_rate=3e-3, lr_scheduler_type="constant", report_to="none",
                         save_strategy="no", logging_steps=100, use_cpu=True, disable_tqdm=True,
                         remove_unused_columns=False)
trainer = TrustTrainer(model=BertForSequenceClassification(config), args=args,
                       train_dataset=crowd(2000, True), eval_dataset=crowd(600, False), compute_metrics=metrics)
trainer.train()
res = trainer.evaluate()
print(f"FINAL clean_acc={res['eval_accuracy']:.4f}")
