# Своя модель для Trainer: энкодер и голова
import evaluate
from datasets import load_dataset
from torch import nn
from transformers import AutoConfig, AutoModel, AutoTokenizer, DataCollatorWithPadding, Trainer, TrainingArguments, set_seed
from transformers.modeling_outputs import SequenceClassifierOutput

set_seed(42)
checkpoint = "bert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
raw = load_dataset("glue", "mrpc")
data = raw.map(lambda пары: tokenizer(пары["sentence1"], пары["sentence2"], truncation=True), batched=True)


class Paraphrase(nn.Module):
    def __init__(self):
        super().__init__()
        config = AutoConfig.from_pretrained(checkpoint)
        self.encoder = AutoModel.from_pretrained(checkpoint, config=config)
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(config.hidden_size, 2)

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, labels=None):
        h = self.encoder(input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        logits = self.head(self.dropout(h.pooler_output))
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return SequenceClassifierOutput(loss=loss, logits=logits)


model = Paraphrase()
metric = evaluate.load("glue", "mrpc")


def compute_metrics(eval_pred):
    return metric.compute(predictions=eval_pred.predictions.argmax(-1), references=eval_pred.label_ids)


trainer = Trainer(
    model=model,
    args=TrainingArguments(
        "out", num_train_epochs=4, per_device_train_batch_size=8, learning_rate=1e-4, eval_strategy="epoch", report_to="none", logging_steps=20
    ),
    train_dataset=data["train"],
    eval_dataset=data["validation"],
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=compute_metrics,
)
trainer.train()
