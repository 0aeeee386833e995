"""Packages by what they do, where that tells faults apart; and what they call labels."""

QUANTIZING = frozenset({"bitsandbytes", "peft", "auto_gptq", "gptqmodel", "awq", "hqq"})
"""Packages that work with quantized weights."""
SPEAKING = frozenset(
    {"accelerate", "datasets", "evaluate", "keras", "numpy", "pandas", "pyarrow", "sklearn"}
    | {"tensorflow", "tf_keras", "tokenizers", "torch", "transformers"}
)
"""Libraries whose messages the catalogue knows."""
LABELS = ("labels", "label")
"""Columns of labels, as `transformers` and the datasets of the course call them."""
