"""What can be typed: English words everywhere, and beside them the natural words of the language that is spoken.

The first word of each is the one that is shown.
"""

import unicodedata
from collections.abc import Mapping

from client_cli.language import current_language

LOCAL: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "id": {
        "help": ("bantuan", "tolong"),
        "hand": ("tangan",),
        "cards": ("kartu",),
        "remaining": ("sisa",),
        "table": ("meja",),
        "history": ("riwayat",),
        "last": ("terakhir",),
        "rules": ("aturan",),
        "all": ("semua",),
        "actions": ("pilihan", "aksi"),
        "say": ("bilang", "kata"),
        "hint": ("saran", "petunjuk"),
        "why": ("kenapa", "mengapa"),
        "emote": ("ekspresi",),
        "save": ("simpan",),
        "replay": ("putar",),
        "deals": ("babak",),
        "next": ("lanjut",),
        "previous": ("mundur",),
        "round": ("ronde",),
        "end": ("akhir",),
        "ask": ("tanya",),
        "auto": ("otomatis",),
        "ready": ("siap",),
        "here": ("hadir",),
        "invite": ("undang",),
        "fill": ("isi",),
        "start": ("mulai",),
        "remove": ("usir", "keluarkan"),
        "quit": ("keluar",),
        "leave": ("tinggalkan",),
        "yes": ("ya",),
        "now": ("sekarang",),
        "on": ("nyala", "aktif", "hidup"),
        "off": ("mati", "nonaktif"),
        "random": ("acak",),
        "easy": ("mudah",),
        "normal": ("sedang",),
        "hard": ("sulit",),
        "play": ("main", "mainkan"),
        "pass": ("lewat",),
        "discard": ("buang",),
        "win": ("menang",),
        "hello": ("halo",),
        "nice": ("bagus",),
        "oops": ("waduh",),
        "thanks": ("makasih",),
        "hurry": ("cepat",),
        "laugh": ("haha",),
        "sorry": ("maaf",),
        "good_game": ("salut",),
    },
    "zh": {
        "help": ("帮助",),
        "hand": ("手牌",),
        "cards": ("牌表",),
        "remaining": ("余牌",),
        "table": ("牌桌", "桌面"),
        "history": ("记录",),
        "last": ("最近",),
        "rules": ("规则",),
        "all": ("全部",),
        "actions": ("选项",),
        "say": ("说",),
        "hint": ("提示",),
        "why": ("为什么",),
        "emote": ("表情",),
        "save": ("保存",),
        "replay": ("回放",),
        "deals": ("牌局",),
        "next": ("下一步",),
        "previous": ("上一步",),
        "round": ("下一圈",),
        "end": ("结尾",),
        "ask": ("询问",),
        "auto": ("托管",),
        "auto pass": ("自动过",),
        "ready": ("准备",),
        "here": ("在",),
        "invite": ("邀请",),
        "fill": ("补位",),
        "start": ("开始",),
        "remove": ("请离", "踢"),
        "quit": ("退出",),
        "leave": ("离座",),
        "yes": ("是",),
        "now": ("马上",),
        "on": ("开",),
        "off": ("关",),
        "random": ("随机",),
        "easy": ("简单",),
        "normal": ("普通",),
        "hard": ("困难",),
        "play": ("出",),
        "pass": ("过", "不要"),
        "discard": ("打",),
        "win": ("胡",),
        "chi": ("吃",),
        "peng": ("碰",),
        "pao": ("跑",),
        "hello": ("你好",),
        "nice": ("好牌",),
        "oops": ("哎呀",),
        "thanks": ("谢谢",),
        "hurry": ("快点",),
        "laugh": ("哈哈",),
        "sorry": ("抱歉",),
        "good_game": ("承让",),
    },
}
"""By language and English word. None of them is the English word of something else."""

FREE = frozenset({"say", "save", "rules"})
"""What follows these words is the person's own."""

TAKING_MORE = frozenset(
    {
        "say",
        "save",
        "rules",
        "actions",
        "ask",
        "auto",
        "auto pass",
        "fill",
        "remove",
        "replay",
        "why",
        "emote",
        "play",
        "discard",
        "chi",
    }
)
"""In Chinese, what these words take can follow without a blank."""


def in_english(line: str) -> str:
    """A typed line with English words in the places of those of the spoken language; all else as it was."""
    local = {word: english for english, words in LOCAL.get(current_language(), {}).items() for word in words}
    if not local:
        return line
    first, *others = line.split(maxsplit=1) or [""]
    first, rest = unicodedata.normalize("NFKC", first).lower(), "".join(others)
    if first not in local:
        longest = max((word for word in local if _leads(first, word, local[word])), key=len, default="")
        if longest:
            first, rest = longest, line.strip()[len(longest) :]
    english = local.get(first, first)
    if english in FREE:
        return f"{english} {rest.strip()}".strip()
    return " ".join([english, *(local.get(word.lower(), word) for word in unicodedata.normalize("NFKC", rest).split())])


def _leads(text: str, word: str, english: str) -> bool:
    return english in TAKING_MORE and not word.isascii() and text.startswith(word)


def shown(action: str) -> str:
    """An action, or another line that can be typed, with its words as the spoken language has them."""
    local = {english: words[0] for english, words in LOCAL.get(current_language(), {}).items()}
    return local.get(action) or " ".join(local.get(word, word) for word in action.split(" "))
