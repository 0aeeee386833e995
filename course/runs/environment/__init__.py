"""Interpreters with the libraries of a framework: found, installed, checked."""
