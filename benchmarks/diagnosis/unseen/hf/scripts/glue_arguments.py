#!/usr/bin/env python
"""A small run_glue.py."""
import logging
import sys
from dataclasses import dataclass, field
from typing import Optional

import evaluate
import numpy as np
from datasets import load_dataset
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    EvalPrediction,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
    default_data_collator,
    set_seed,
)

logger = logging.getLogger(__name__)


@dataclass
class DataArguments:
    task_name: str = field(default="mnli")
    max_seq_length: int = field(default=48)
    max_train_samples: Optional[int] = field(default=1600)
    max_eval_samples: Optional[int] = field(default=200)


@dataclass
class ModelArguments:
    model_name_or_path: str = field(default="distilbert-base-uncased")
    tokenizer_name: Optional[str] = field(default=None)


ARGUMENTS = [
    "--output_dir", "out",
    "--do_train", "--do_eval",
    "--per_device_train_batch_size", "16",
    "--learning_rate", "2e-4",
    "--num_train_epochs", "2",
    "--warmup_steps", "10",
    "--logging_steps", "20",
    "--report_to", "none",
    "--seed", "0",
]  # fmt: skip


def main():
    parser = HfArgumentParser((ModelArguments, DataArguments, TrainingArguments))
    model_args, data_args, training_args = parser.parse_args_into_dataclasses(sys.argv[1:] or ARGUMENTS)
    logging.basicConfig(level=logging.INFO)
    set_seed(training_args.seed)

    raw_datasets = load_dataset("glue", data_args.task_name)
    label_list = raw_datasets["train"].features["label"].names
    num_labels = len(label_list)

    config = AutoConfig.from_pretrained(model_args.model_name_or_path, num_labels=num_labels)
    tokenizer = AutoTokenizer.from_pretrained(model_args.tokenizer_name or model_args.model_name_or_path)
    model = AutoModelForSequenceClassification.from_pretrained(model_args.model_name_or_path, config=config)

    def preprocess_function(examples):
        texts = (examples["premise"], examples["hypothesis"])
        return tokenizer(*texts, padding="max_length", max_length=data_args.max_seq_length, truncation=True)

    raw_datasets = raw_datasets.map(preprocess_function, batched=True)
    train_dataset = raw_datasets["train"].shuffle(seed=1).select(range(data_args.max_train_samples))
    eval_dataset = raw_datasets["validation_matched"].select(range(data_args.max_eval_samples))
    metric = evaluate.load("accuracy")

    def compute_metrics(p: EvalPrediction):
        preds = p.predictions[0] if isinstance(p.predictions, tuple) else p.predictions
        preds = np.argmax(preds, axis=1)
        return metric.compute(predictions=preds, references=p.label_ids)

    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_dataset if training_args.do_train else None,
        eval_dataset=eval_dataset if training_args.do_eval else None,
        compute_metrics=compute_metrics,
        processing_class=tokenizer,
        data_collator=default_data_collator,
    )
    if training_args.do_train:
        result = trainer.train()
        trainer.log_metrics("train", result.metrics)
        trainer.save_model()
    if training_args.do_eval:
        metrics = trainer.evaluate(eval_dataset=eval_dataset)
        trainer.log_metrics("eval", metrics)


if __name__ == "__main__":
    main()
