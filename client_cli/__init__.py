"""The Paizhuo client: shows tables and sends back what its player chose. It knows no rule of any game."""
