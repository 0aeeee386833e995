"""Packages by what they do, where that tells faults apart."""

QUANTIZING = frozenset({"bitsandbytes", "peft", "auto_gptq", "gptqmodel", "awq", "hqq"})
"""Packages that work with quantized weights."""
