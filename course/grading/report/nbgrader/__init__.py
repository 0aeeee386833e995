"""What nbgrader needs of us: cells that hold points, and marks in its own gradebook.

nbgrader runs what students write without a sandbox, so grading stays `course class grade`; it
gives the notebook out and collects it, and shows the marks. Written against nbgrader 0.9.6.
"""
