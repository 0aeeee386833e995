"""A group is made without a launcher."""

import torch.distributed

torch.distributed.init_process_group("gloo")
