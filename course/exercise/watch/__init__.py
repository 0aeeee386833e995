"""A working copy under the eye of the program: it runs again at each save."""
