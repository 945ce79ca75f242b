"""How a fault of the program is logged: by its kind and place, never by its text.

The text of an exception may quote a client, a ticket or a card.
"""

import traceback


def kind_and_place(fault: BaseException) -> str:
    """The type, then the frames that it passed through, innermost last."""
    return f"{type(fault).__name__}\n{''.join(traceback.format_tb(fault.__traceback__))}".rstrip()
