"""What runs inside the learner's process: it writes events of a training (`events.py`).

It runs under the interpreter that has the framework, where `course` may not be installed, so it
imports the standard library only, and the framework that it hooks. It never changes what a script
computes.
"""
