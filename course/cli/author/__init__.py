"""The commands of authors: `course dev`."""
