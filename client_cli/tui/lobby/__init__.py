"""Where a person decides what to play, and with whom."""
