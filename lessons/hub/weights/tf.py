"""Run in the runtime, with `FOLDERS` set: in each, make `tf_model.h5` of `model.safetensors`.

transformers 4 takes a safetensors file for its first choice, and fails on one that PyTorch has
written (`'builtins.safe_open' object is not iterable`), so that file must go.
"""

from pathlib import Path

import transformers
from safetensors.numpy import load_file
from transformers.modeling_tf_pytorch_utils import load_pytorch_state_dict_in_tf2_model

for folder in map(Path, FOLDERS):  # noqa: F821
    source = folder / "model.safetensors"
    config = transformers.AutoConfig.from_pretrained(folder)
    # The BERTs are for chapter 3, whose lessons have no TensorFlow part.
    if config.model_type != "distilbert":
        continue
    model = getattr(transformers, f"TF{config.architectures[0]}")(config)
    # It takes arrays of numpy as well as tensors, so no PyTorch is needed.
    load_pytorch_state_dict_in_tf2_model(model, load_file(source), allow_missing_keys=False)
    model.save_pretrained(folder, safe_serialization=False)
    source.unlink()
