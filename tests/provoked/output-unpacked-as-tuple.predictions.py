"""The predictions of an encoder-decoder are several arrays, and are taken for one."""

import numpy as np
from transformers import T5Config, T5ForConditionalGeneration, Trainer, TrainingArguments

size = {"d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2}
model = T5ForConditionalGeneration(T5Config(vocab_size=20, decoder_start_token_id=0, **size))
rows = [{"input_ids": [5, 6, 7, 1], "labels": [8, 9, 1]} for _row in range(4)]


def score(given):
    answers = np.where(given.predictions != -100, given.predictions, 0)
    return {"right": float((answers == given.label_ids).mean())}


trainer = Trainer(
    model, TrainingArguments("out", report_to="none"), eval_dataset=rows, compute_metrics=score
)
trainer.evaluate()
