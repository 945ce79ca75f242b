"""The words with which a person keeps a deal as a file, or sees it again. No I/O."""

from client_cli import words, words_replay
from client_cli.deal_file import usual_name
from client_cli.records import Records
from client_cli.step import Draft
from protocol.view import TableView


def save_deal(records: Records, draft: Draft, view: TableView, file: str) -> None:
    """The deal that is played, or was played last. `file`: empty for one that is named after it."""
    deal, room = view.room.deal, view.room
    if not deal:
        draft.lines.append(words.no_deal_yet())
        return
    records.want(deal, file or usual_name(room.game, room.code, deal))
    if view.result is None:
        draft.lines.append(words.will_be_saved(deal))
    draft.send += records.ask(view)


def replay_deal(records: Records, draft: Draft, view: TableView, number: str) -> None:
    """`number`: as it was typed; empty for the newest deal that is over."""
    newest = view.room.deal if view.result is not None else view.room.deal - 1
    deal = int(number[:9]) if number.isascii() and number.isdecimal() else 0 if number else max(newest, 1)
    if not 1 <= deal <= view.room.deal:
        draft.lines.append(words_replay.no_such_deal(view.room.deal))
        return
    records.want(deal, None)
    if deal > newest:
        draft.lines.append(words_replay.will_be_replayed(deal))
    draft.send += records.ask(view)
