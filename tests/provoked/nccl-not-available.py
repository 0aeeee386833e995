"""The backend for GPUs, on a machine without one."""

import torch.distributed

torch.distributed.init_process_group("nccl", init_method="tcp://127.0.0.1:0", rank=0, world_size=1)
