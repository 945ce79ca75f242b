from server.node.presence import SILENT_MS, Presence


def test_nobody_is_connected_to_a_room_that_was_just_opened() -> None:
    presence = Presence("a", 500)
    assert presence.connected == frozenset()
    assert presence.gone_since_ms == {0: 500, 1: 500, 2: 500}


def test_players_of_all_nodes_are_connected() -> None:
    presence = Presence("a", 0)
    presence.set_here((0,), 1)
    presence.hear("b", (1, 2), 2)
    assert presence.connected == {0, 1, 2}
    assert presence.gone_since_ms == {}
    assert presence.here == (0,)
    assert presence.nodes == ["a", "b"]


def test_a_player_is_gone_from_when_the_last_node_lost_them() -> None:
    presence = Presence("a", 0)
    presence.set_here((1,), 10)
    presence.hear("b", (1,), 20)
    presence.set_here((), 30)
    assert 1 not in presence.gone_since_ms
    presence.hear("b", (), 40)
    assert presence.gone_since_ms[1] == 40
    presence.hear("b", (), 50)
    assert presence.gone_since_ms[1] == 40


def test_a_player_who_has_just_been_seen_has_the_whole_grace_again() -> None:
    presence = Presence("a", 0)
    presence.seen(1, "b", 700)
    assert presence.gone_since_ms == {0: 0, 1: 700, 2: 0}
    presence.set_here((1,), 800)
    presence.seen(1, "a", 900)
    assert 1 not in presence.gone_since_ms


def test_a_silent_node_is_forgotten_with_its_players() -> None:
    presence = Presence("a", 0)
    presence.set_here((0,), 0)
    presence.hear("b", (1,), 0)
    presence.forget_silent(SILENT_MS)
    assert presence.connected == {0, 1}
    presence.forget_silent(SILENT_MS + 1)
    assert presence.connected == {0}
    assert presence.gone_since_ms[1] == SILENT_MS + 1
    assert presence.nodes == ["a"]
