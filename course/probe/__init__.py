"""What lives inside the learner's process. Imports nothing of ours and nothing but Python.

It runs under whatever interpreter holds the framework, so it must work without `course`
installed there. It reports what happened and never changes what the script computes.
"""
