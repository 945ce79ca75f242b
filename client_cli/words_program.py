"""What is said of a program that plays a seat. As in `words`: values in, one line out."""

from client_cli.language import tr, tr_n
from client_cli.text import clipped
from client_cli.vocabulary import shown
from protocol.notation import Action


def no_command() -> str:
    return tr("name the program that plays: paizhuo bot CODE@HOST -- COMMAND")


def no_limit() -> str:
    return tr("--limit takes seconds, more than 0")


def not_started(program: str, reason: str) -> str:
    return tr("{program} cannot be started: {reason}", program=clipped(program), reason=reason)


def ended(code: int) -> str:
    """`code`: as `subprocess` has it, negative for a signal."""
    if code < 0:
        return tr("The program was ended by signal {number}.", number=-code)
    return tr("The program has ended with exit code {code}.", code=code)


def closed() -> str:
    return tr("The program has closed its input or its output.")


def late(limit_s: float) -> str:
    seconds = f"{limit_s:.3g}"
    return tr("The program has not answered within {seconds} s.", seconds=seconds)


def not_offered(answer: str) -> str:
    return tr("The program answers '{answer}', which is none of the choices.", answer=clipped(answer))


def played_for_it(action: Action) -> str:
    return tr("Played for it: {action}", action=shown(action))


def unasked() -> str:
    return tr("The program says more than one line to a question: only the first one counts.")


def gives_up(failures: int) -> str:
    return tr_n(
        "The program has failed {count} time in a row.", "The program has failed {count} times in a row.", failures
    )


def leaves() -> str:
    return tr("Its seat is given up; in a game that has begun a bot of the server plays on.")


def not_left() -> str:
    return tr("The server cannot be told so: a bot plays while the seat is not connected.")
