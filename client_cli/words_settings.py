"""What is said of settings and of the file that keeps them. As in `words`: values in, one line out."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from client_cli.language import LANGUAGES, tr
from client_cli.text import clipped
from client_cli.words_bots import level


def descriptions() -> Mapping[str, str]:
    """What each setting means, by its key, in their usual order."""
    return {
        "name": tr("Your name at the table; empty: your login name."),
        "language": tr("The language of all sentences; auto: that of your system."),
        "plain": tr("Line mode: every event and every question is one line."),
        "theme": tr("The colours of the full screen; auto: what fits the terminal."),
        "ascii": tr("Draw with ASCII characters only; auto: where the terminal cannot show others well."),
        "dominoes": tr("How the cards of Chuo Pai are drawn: as pips, by their names, or as Unicode domino tiles."),
        "order": tr("How your hand is sorted on the full screen: by families, by ranks, or the most copies first."),
        "confirm": tr("Ask before every play."),
        "auto_pass": tr("Let the server pass for you where you may claim a card but not win with it."),
        "bell": tr("Ring the terminal's bell when it is your turn."),
        "notify": tr("Show a notice on the desktop when it is your turn."),
        "remaining": tr("Show which cards you have not seen yet: beside the table, or before each question."),
        "server": tr("The server that rooms and join use where none is named; empty: none."),
        "bots": tr("How well the bots play that you play against, and put on seats."),
        "beat_ms": tr("How long a bot seems to think in play, in milliseconds."),
        "lan": tr("Look for rooms in your local network."),
        "announce": tr("Make rooms that you host with --lan known in your local network, with your name."),
    }


def labels() -> Mapping[str, str]:
    """What each setting is called where there is little room."""
    return {
        "name": tr("Name"),
        "language": tr("Language"),
        "plain": tr("Line mode"),
        "theme": tr("Colours"),
        "ascii": tr("ASCII only"),
        "dominoes": tr("Dominoes"),
        "order": tr("Order of the hand"),
        "confirm": tr("Confirm plays"),
        "auto_pass": tr("Pass by itself"),
        "bell": tr("Bell"),
        "notify": tr("Desktop notice"),
        "remaining": tr("Unseen cards"),
        "server": tr("Usual server"),
        "bots": tr("Level of bots"),
        "beat_ms": tr("Bots think for"),
        "lan": tr("Look in the network"),
        "announce": tr("Announce own rooms"),
    }


def value_label(key: str, value: str) -> str:
    """A value, given as it is typed, as people read it."""
    if key == "beat_ms":
        return tr("{count} ms", count=value)
    if key == "bots":
        return level(value)
    if key == "language" and value in LANGUAGES:
        return LANGUAGES[value]
    if not value:
        return "-"
    words = {
        "true": tr("yes"),
        "false": tr("no"),
        "auto": tr("automatic"),
        "on": tr("yes"),
        "off": tr("no"),
        "dark": tr("dark"),
        "light": tr("light"),
        "high-contrast": tr("high contrast"),
        "mono": tr("no colours"),
        "pips": tr("pips"),
        "names": tr("names"),
        "unicode": tr("Unicode tiles"),
        "families": tr("by families"),
        "ranks": tr("by ranks"),
        "copies": tr("most copies first"),
    }
    return words.get(value, value) if key not in ("name", "server") else value


def unknown(key: str, keys: Sequence[str]) -> str:
    near = get_close_matches(key.lower().replace("-", "_"), keys, n=1)
    if near:
        return tr("there is no setting '{key}': did you mean '{near}'?", key=clipped(key), near=near[0])
    return tr("there is no setting '{key}'; there are: {keys}", key=clipped(key), keys=", ".join(keys))


def none_of(key: str, value: str, allowed: Sequence[str]) -> str:
    return tr(
        "{key} cannot be '{value}': it is one of {allowed}", key=key, value=clipped(value), allowed=", ".join(allowed)
    )


def no_text(key: str) -> str:
    return tr("{key} has to be a text in quotation marks", key=key)


def no_number(key: str, value: str, least: int, most: int) -> str:
    return tr(
        "{key} cannot be '{value}': it is a whole number from {least} to {most}",
        key=key,
        value=clipped(value),
        least=least,
        most=most,
    )


def no_toml(error: str) -> str:
    return tr("this is no TOML: {error}", error=error)


def in_the_environment(variable: str, fault: str) -> str:
    return tr("the variable {variable}: {fault}", variable=variable, fault=fault)


def in_the_file(path: str, line: int | None, fault: str) -> str:
    if line is None:
        return f"{path}: {fault}"
    return tr("{path}, line {line}: {fault}", path=path, line=line, fault=fault)


def unreadable(path: str, error: str) -> str:
    return tr("the settings in {path} cannot be read: {error}", path=path, error=error)


def unwritable(path: str, error: str) -> str:
    return tr("the settings cannot be saved in {path}: {error}", path=path, error=error)


def overruled(key: str, variable: str, value: str) -> str:
    return tr(
        "Saved, but here the variable {variable} says {value}, and that counts more: {key} stays as it is.",
        variable=variable,
        value=clipped(value),
        key=key,
    )


def with_origin(line: str, origin: str) -> str:
    """`origin`: one of `client_cli.settings.Origin`."""
    said = {
        "flag": tr("by a flag"),
        "environment": tr("by the environment"),
        "file": tr("in the config file"),
        "default": tr("by default"),
    }
    return f"{line} ({said[origin]})"


def flag_help(meaning: str, variable: str) -> str:
    return tr("{meaning} [environment: {variable}]", meaning=meaning, variable=variable)


def template_head() -> str:
    return tr("The settings of paizhuo. A line counts without the # before it.")


def draft_goes_on(draft: str) -> str:
    return tr("Going on with the draft of last time: {draft}", draft=draft)


def draft_refused(fault: str) -> str:
    return tr("{fault}. The settings are as they were; to go on with this draft: paizhuo config edit", fault=fault)


def no_editor(editor: str, error: str) -> str:
    return tr(
        "the editor '{editor}' cannot be started ({error}): name one in the variable EDITOR",
        editor=clipped(editor),
        error=error,
    )


def editor_failed(editor: str, status: int) -> str:
    return tr(
        "the editor '{editor}' ended with status {status}: nothing is changed", editor=clipped(editor), status=status
    )
