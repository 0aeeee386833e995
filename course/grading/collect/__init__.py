"""Collecting submissions from a folder, a zip, or what a learning platform makes of a class.

`collect.collect` is the way in. Nothing here runs, unpacks or follows anything: a file is read,
up to a cap, and kept as bytes.
"""
