"""The language in which this program speaks to the person before it: English, Indonesian or Chinese.

English is what stands in the code: `tr` and `tr_n` look a whole sentence up in the catalog of the chosen language when
it is said, so that the language can change while the program runs. Catalogs lie in `locale`; `make messages` brings
them up to date with the code.
"""

import gettext
from collections.abc import Iterable, Mapping
from pathlib import Path

from client_cli.failure import CommandFailed
from protocol.errors import ExitCode

LANGUAGES: Mapping[str, str] = {"en": "English", "id": "Bahasa Indonesia", "zh": "中文"}
"""By their codes, as their speakers call them."""

LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""What a system says of its user's language; the first that says anything counts."""

_BETWEEN_SENTENCES: Mapping[str, str] = {"zh": ""}
_BETWEEN_PARTS: Mapping[str, str] = {"zh": "，"}
_BETWEEN_ROWS: Mapping[str, str] = {"zh": "；"}
_FOLDER = Path(__file__).parent / "locale"


class _Spoken:
    """The one language of the program, which all that is said shares."""

    code = "en"
    catalog: gettext.NullTranslations = gettext.NullTranslations()


def tr(sentence: str, /, **named: object) -> str:
    """This sentence in the chosen language, with each `{name}` replaced.

    `sentence` is a literal of the code: what came from elsewhere goes into `named`, where braces mean nothing.
    """
    return _Spoken.catalog.gettext(sentence).format_map(named)


def tr_n(one: str, many: str, count: int, /, **named: object) -> str:
    """As `tr`, with the form that this language has for `count`, which the sentence names `{count}`."""
    return _Spoken.catalog.ngettext(one, many, count).format_map({"count": count, **named})


def tr_later(sentence: str, /) -> str:
    """The sentence itself: marks what stands in a table, and is said by a `tr` of its own."""
    return sentence


def current_language() -> str:
    """Its code, one of `LANGUAGES`."""
    return _Spoken.code


def choose_language(code: str) -> None:
    """Say everything from now on in this language.

    Raises `CommandFailed` (usage) for one that is not in `LANGUAGES`.
    """
    if code not in LANGUAGES:
        raise CommandFailed(
            ExitCode.USAGE,
            tr("there is no language '{code}': there is {languages}", code=code[:32], languages=", ".join(LANGUAGES)),
        )
    _Spoken.code = code
    # Without catalogs, in a checkout that was never set up, English is better than no word at all.
    _Spoken.catalog = gettext.translation("paizhuo", _FOLDER, [code], fallback=True)


def locale_language(environment: Mapping[str, str]) -> str:
    """The code of the language that the system speaks, as far as it is one of ours; else English."""
    locale = next(filter(None, (environment.get(name) for name in LOCALE_VARIABLES)), "")
    code = locale.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return code if code in LANGUAGES else "en"


def sentences(*each: str) -> str:
    """Whole sentences one after the other; empty ones are left out."""
    return _BETWEEN_SENTENCES.get(_Spoken.code, " ").join(filter(None, each))


def listed(parts: Iterable[str]) -> str:
    """The parts of a list in one line."""
    return _BETWEEN_PARTS.get(_Spoken.code, ", ").join(parts)


def rows_listed(rows: Iterable[str]) -> str:
    """Rows that are lists themselves, in one line."""
    return _BETWEEN_ROWS.get(_Spoken.code, "; ").join(rows)
