"""The commands of `paizhuo`, one module each, loaded only when called."""
