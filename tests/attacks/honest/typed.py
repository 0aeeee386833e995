# course: ch8-4 pt format=2 lang=en draw=bwac808zhyrskfr

from __future__ import annotations

from typing import Any

import datasets
import evaluate
import numpy as np
import transformers as tr

CHECKPOINT: str = "distilbert-base-uncased"


def main(seed: int = 42) -> dict[str, Any]:
    tr.set_seed(seed)
    accuracy = evaluate.load("glue", "mnli")
    tok = tr.AutoTokenizer.from_pretrained(CHECKPOINT)
    pairs = datasets.load_dataset("glue", "mnli")
    encoded = pairs.map(lambda row: tok(row["premise"], row["hypothesis"], truncation=True))

    def score(prediction: tr.EvalPrediction) -> dict[str, float]:
        answers: np.ndarray = np.argmax(prediction.predictions, axis=-1)
        return accuracy.compute(predictions=answers, references=prediction.label_ids)

    settings = tr.TrainingArguments(
        output_dir="out", learning_rate=2e-5, num_train_epochs=3, weight_decay=0.01,
        eval_strategy="epoch", save_strategy="no", report_to="none",
    )
    teacher = tr.Trainer(
        model=tr.AutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3),
        args=settings,
        data_collator=tr.DataCollatorWithPadding(tok),
        train_dataset=encoded["train"],
        eval_dataset=encoded["validation_matched"],
        compute_metrics=score,
    )
    teacher.train()
    return teacher.evaluate()


print(main())
