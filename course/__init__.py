"""A companion to the Hugging Face NLP course: scripts with faults in them, to run and to mend."""

__version__ = "0.1.0"
