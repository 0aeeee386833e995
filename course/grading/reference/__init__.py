"""What is true of a submission's model, worked out by us: its weights read, its answers computed.

Nothing in this room runs anything of the submission's, nor asks it.
"""
