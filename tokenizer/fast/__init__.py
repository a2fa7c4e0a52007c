"""What is done to whole arrays at once: the one part of the engine that imports numpy."""
