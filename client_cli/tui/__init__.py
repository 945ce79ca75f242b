"""The full screen. Nothing but this package knows Textual, and it is loaded only when a table is drawn."""
