"""A Trainer of one's own, written for an older version."""

from datasets import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class OwnTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        outputs = model(**inputs)
        return (outputs.loss, outputs) if return_outputs else outputs.loss


size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertForSequenceClassification(BertConfig(vocab_size=50, intermediate_size=8, **size))
rows = Dataset.from_dict({"input_ids": [[1, 2]] * 4, "labels": [0, 1, 0, 1]})
arguments = TrainingArguments("out", report_to="none", use_cpu=True, max_steps=1)
OwnTrainer(model, arguments, train_dataset=rows).train()
