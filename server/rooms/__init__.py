"""A room as pure functions: `decide` turns a command into events, `fold` turns commits into a state, `dues` says what
will happen by itself and when, `table_view` is the one way in which any of it leaves the server.
"""
