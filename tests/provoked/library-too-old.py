"""A checkpoint of an architecture that this version has never heard of."""

import json
import os

from transformers import AutoConfig

os.mkdir("newest")
with open("newest/config.json", "w", encoding="utf-8") as file:
    json.dump({"model_type": "llama99", "transformers_version": "9.0.0"}, file)
AutoConfig.from_pretrained("newest")
