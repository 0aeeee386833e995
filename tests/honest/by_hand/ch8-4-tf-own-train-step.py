# Переписала: prepare_tf_dataset, свой train_step
import tensorflow as tf
import tf_keras
from datasets import load_dataset
from transformers import AutoTokenizer, TFAutoModelForSequenceClassification, DataCollatorWithPadding

tf_keras.utils.set_random_seed(3)
имя = "distilbert-base-uncased"
токенизатор = AutoTokenizer.from_pretrained(имя)
данные = load_dataset("glue", "mnli").map(
    lambda п: токенизатор(п["premise"], п["hypothesis"], truncation=True, max_length=48, padding="max_length"), batched=True)


def наборы(часть, мешать):
    return данные[часть].to_tf_dataset(columns=["input_ids", "attention_mask"], label_cols=["label"], batch_size=16,
                                       shuffle=мешать, drop_remainder=False)


class Модель(tf_keras.Model):
    def __init__(self):
        super().__init__()
        self.net = TFAutoModelForSequenceClassification.from_pretrained(имя, num_labels=3)

    def call(self, x, training=False):
        return self.net(x, training=training).logits

    def train_step(self, пара):
        x, y = пара
        with tf.GradientTape() as лента:
            ответ = self(x, training=True)
            потери = self.compute_loss(x, y, ответ)
        град = лента.gradient(потери, self.trainable_variables)
        self.optimizer.apply_gradients(zip(град, self.trainable_variables))
        self.compiled_metrics.update_state(y, ответ)
        return {m.name: m.result() for m in self.metrics}


м = Модель()
м.compile(optimizer=tf_keras.optimizers.legacy.Adam(3e-5) if hasattr(tf_keras.optimizers, "legacy") else tf_keras.optimizers.Adam(3e-5),
          loss=tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
м.fit(наборы("train", True), validation_data=наборы("validation_matched", False), epochs=2)
print(f"Точность: {м.evaluate(наборы('validation_matched', False), return_dict=True)}")
