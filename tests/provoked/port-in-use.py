"""Another program listens where the processes are to meet."""

import socket

import torch.distributed

other = socket.socket()
other.bind(("127.0.0.1", 0))
other.listen()
place = f"tcp://127.0.0.1:{other.getsockname()[1]}"
torch.distributed.init_process_group("gloo", init_method=place, rank=0, world_size=1)
