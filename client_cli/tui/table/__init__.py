"""The table: what one viewer sees of a room, drawn. The modules here are pure, but for `screen` and `widgets`."""
