"""An image of another size than the vision transformer is made for."""

import torch
from transformers import ViTConfig, ViTForImageClassification

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = ViTForImageClassification(ViTConfig(image_size=32, patch_size=4, **size))
model(pixel_values=torch.rand(2, 3, 16, 16))
