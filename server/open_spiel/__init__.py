"""Both games as games of OpenSpiel: importing this package registers `python_chuo_pai` and `python_paohuzi`.

Needs the extra `openspiel`. Nothing else of the server imports it, but for `bench bots` where it is asked for.
See docs/openspiel.md.
"""

from server.open_spiel.chuo_pai import ChuoPaiGame
from server.open_spiel.paohuzi import PaohuziGame

__all__ = ["ChuoPaiGame", "PaohuziGame"]
