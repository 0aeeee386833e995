"""Weights of 8 bits need a library of their own."""

import tempfile

from transformers import AutoModel, BertConfig, BertModel, BitsAndBytesConfig
from transformers.quantizers import quantizer_bnb_8bit

quantizer_bnb_8bit.is_bitsandbytes_available = lambda *versions: False
size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
folder = tempfile.mkdtemp()
BertModel(BertConfig(vocab_size=50, intermediate_size=8, **size)).save_pretrained(folder)
AutoModel.from_pretrained(folder, quantization_config=BitsAndBytesConfig(load_in_8bit=True))
