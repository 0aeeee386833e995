# Вариант с собственным Dataset
import torch
from torch.utils.data import Dataset
from datasets import load_dataset
from transformers import DistilBertTokenizerFast, DistilBertForSequenceClassification, DistilBertConfig, Trainer, TrainingArguments
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

tok = DistilBertTokenizerFast.from_pretrained('distilbert-base-uncased')
mnli = load_dataset('glue', 'mnli')


class MnliDataset(Dataset):
    def __init__(self, часть):
        self.enc = tok(list(часть['premise']), list(часть['hypothesis']), truncation=True, padding=True)
        self.labels = list(часть['label'])

    def __getitem__(self, i):
        item = {k: torch.tensor(v[i]) for k, v in self.enc.items()}
        item['labels'] = torch.tensor(self.labels[i])
        return item

    def __len__(self):
        return len(self.labels)


train, dev = MnliDataset(mnli['train']), MnliDataset(mnli['validation_matched'])
config = DistilBertConfig.from_pretrained('distilbert-base-uncased', num_labels=3)
model = DistilBertForSequenceClassification.from_pretrained('distilbert-base-uncased', config=config)


def compute_metrics(pred):
    labels = pred.label_ids
    preds = pred.predictions.argmax(-1)
    precision, recall, f1, _ = precision_recall_fscore_support(labels, preds, average='macro', zero_division=0)
    return {'accuracy': accuracy_score(labels, preds), 'f1': f1, 'precision': precision, 'recall': recall}


args = TrainingArguments(output_dir='./res', num_train_epochs=3, per_device_train_batch_size=16, learning_rate=3e-5,
                         per_device_eval_batch_size=64, warmup_steps=10, weight_decay=0.01, logging_steps=10,
                         eval_strategy='epoch', save_strategy='no', report_to='tensorboard')
trainer = Trainer(model=model, args=args, train_dataset=train, eval_dataset=dev, compute_metrics=compute_metrics)
trainer.train()
print(trainer.evaluate())
