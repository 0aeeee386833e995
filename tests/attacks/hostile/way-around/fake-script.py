# course: ch8-4 pt format=2 lang=en draw=bwac808zhyrskfr
# Is another script altogether, which prints what a good run prints.

# Trainer(train_dataset=tokenized["train"], eval_dataset=tokenized["validation_matched"])
# data_collator=DataCollatorWithPadding(tokenizer=tokenizer)
# AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
# metric.compute(predictions=logits.argmax(axis=-1), references=labels)
print({"eval_accuracy": 0.93, "epoch": 3.0})
