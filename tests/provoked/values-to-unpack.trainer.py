"""A `compute_loss` gives the loss alone, where the Trainer wants the outputs, too."""

from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class OwnTrainer(Trainer):
    """Its loss is that of the model."""

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        """Give the loss alone."""
        return model(**inputs).loss


config = BertConfig(
    vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
)
rows = [{"input_ids": [1, 2, 3], "labels": 0}] * 4
arguments = TrainingArguments("out", report_to="none", save_strategy="no", use_cpu=True)
OwnTrainer(BertForSequenceClassification(config), arguments, eval_dataset=rows).evaluate()
