"""What a person sees before and between games: what to play, where, and with whom."""
