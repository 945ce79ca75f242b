"""The Paizhuo server: authoritative game rooms on an append-only log."""

from importlib.metadata import version

__version__ = version("paizhuo")
