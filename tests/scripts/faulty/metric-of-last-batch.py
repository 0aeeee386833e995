"""The predictions of each batch take the place of those before."""

import datasets
import evaluate
import torch
from transformers import BertConfig, BertForSequenceClassification


class Accuracy(evaluate.Metric):
    """Needs no network, as the ones of the hub do."""

    def _info(self):
        features = {"predictions": datasets.Value("int32"), "references": datasets.Value("int32")}
        return evaluate.MetricInfo(
            description="", citation="", features=datasets.Features(features)
        )

    def _compute(self, predictions, references):
        return {
            "accuracy": float(
                (torch.tensor(predictions) == torch.tensor(references)).float().mean()
            )
        }


torch.manual_seed(0)
sizes = {"hidden_size": 16, "intermediate_size": 16, "num_attention_heads": 2}
model = BertForSequenceClassification(BertConfig(vocab_size=30, num_hidden_layers=1, **sizes))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
ids = torch.randint(2, 30, (240, 8))
labels = (ids[:, 0] > 15).long()
for batch in range(0, 160, 16):
    rows = slice(batch, batch + 16)
    model(input_ids=ids[rows], labels=labels[rows]).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
model.eval()
for batch in range(160, 240, 16):
    rows = slice(batch, batch + 16)
    with torch.no_grad():
        logits = model(input_ids=ids[rows], labels=labels[rows]).logits
    predictions, references = logits.argmax(-1), labels[rows]
print(Accuracy().compute(predictions=predictions, references=references))
