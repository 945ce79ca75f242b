"""Plays both games, if you type: paizhuo bot CODE@HOST -- python3 docs/bot.py"""

import json
import sys

VERBS = ("pass", "discard", "play", "chi", "peng", "pao", "win")  # from the worst to the best


def worth(action, hand):
    verb, *cards = action.replace("+", " ").split()
    return VERBS.index(verb), -len(cards), -sum(map(hand.count, cards))  # few cards, and such as nothing goes with


for line in sys.stdin:
    view = json.loads(line)
    hand = [c for z in view["deal"]["zones"] if z["name"] == "hand" for g in z.get("groups", []) for c in g["cards"]]
    print(max(reversed(view["prompt"]["actions"]), key=lambda action: worth(action, hand)), flush=True)
