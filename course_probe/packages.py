"""Packages by what they do, where that tells faults apart."""

QUANTIZING = frozenset({"bitsandbytes", "peft", "auto_gptq", "gptqmodel", "awq", "hqq"})
"""Packages that work with quantized weights."""
SPEAKING = frozenset(
    {"accelerate", "datasets", "evaluate", "keras", "numpy", "pandas", "pyarrow", "sklearn"}
    | {"tensorflow", "tf_keras", "tokenizers", "torch", "transformers"}
)
"""Libraries whose messages the catalogue knows."""
