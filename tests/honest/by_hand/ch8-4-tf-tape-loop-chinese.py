# 自己写的训练循环，用 GradientTape
import numpy as np
import tensorflow as tf
import tf_keras as keras
from datasets import load_dataset
from transformers import AutoTokenizer, TFAutoModelForSequenceClassification

keras.utils.set_random_seed(1)
分词 = AutoTokenizer.from_pretrained("distilbert-base-uncased")
原始 = load_dataset("glue", "mnli")


def 编码(名):
    e = 分词(list(原始[名]["premise"]), list(原始[名]["hypothesis"]), truncation=True, padding="max_length", max_length=48, return_tensors="np")
    return dict(input_ids=e["input_ids"], attention_mask=e["attention_mask"]), np.array(原始[名]["label"])


x, y = 编码("train")
vx, vy = 编码("validation_matched")
训练集 = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(y), seed=1).batch(16).prefetch(tf.data.AUTOTUNE)
验证集 = tf.data.Dataset.from_tensor_slices((vx, vy)).batch(32)
模型 = TFAutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=3)
优化器 = keras.optimizers.Adam(learning_rate=5e-5)
损失 = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def 一步(a, b):
    with tf.GradientTape() as tape:
        logits = 模型(a, training=True).logits
        l = 损失(b, logits)
    g = tape.gradient(l, 模型.trainable_variables)
    优化器.apply_gradients(zip(g, 模型.trainable_variables))
    return l


for 轮 in range(2):
    总 = []
    for a, b in 训练集:
        总.append(float(一步(a, b)))
    准 = keras.metrics.SparseCategoricalAccuracy()
    for a, b in 验证集:
        准.update_state(b, 模型(a, training=False).logits)
    print(f"第 {轮 + 1} 轮 损失 {np.mean(总):.3f} 准确率 {准.result().numpy():.3f}")
