"""The playback page: the lesson and the transcript, in step with the video."""
