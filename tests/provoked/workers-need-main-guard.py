"""A worker that is started anew imports the script, which starts a worker again.

The worker ends with the error; here it is raised where the worker would run into it.
"""

import multiprocessing
from multiprocessing import process

# What `spawn` sets in the new process before it imports the script.
process.current_process()._inheriting = True
multiprocessing.get_context("spawn").Process(target=print).start()
