"""What the operator of a server sees and does, on a listener apart from the players'."""
