"""Fair deals over nodes and lost connections: a deal waits for all parts, but for nobody for ever."""

from client_cli.fairness import Fairness, Verdict
from protocol import fair
from protocol.messages import Create, Ready, Start, Table
from server.games.registry import game_named
from server.rooms.events import DealStarted, RoundVoided
from server.rooms.rounds import PATIENCE_MS
from tests.moved_clock import settled
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import Nodes, RunningNode, running_nodes


class Program:
    """A player's program at a node, which adds to the cards as soon as it may."""

    def __init__(self, node: RunningNode, viewer: RecordedViewer, fairness: Fairness | None = None) -> None:
        self.node = node
        self.viewer = viewer
        self.fairness = fairness or Fairness()
        self._read = 0

    @classmethod
    async def hosts(cls, node: RunningNode, deals: int = 1) -> "Program":
        viewer = RecordedViewer()
        await node.hub.create(viewer, "Ann", Create("chuo-pai", deals=deals, contributes=True))
        return cls(node, viewer)

    async def brings(self, node: RunningNode, name: str) -> "Program":
        viewer = RecordedViewer()
        await node.hub.join(viewer, name, self.viewer.place_taken.code, contributes=True)
        await settled()
        return Program(node, viewer)

    async def reads(self) -> None:
        """Everything that it was told, and says what that asks of it."""
        tables = self.viewer.tables
        for table in tables[self._read :]:
            given = tuple(self.fairness.received(Table(table.view, table.happened), self.viewer.seat))
            if given:
                await self.node.hub.contribute(self.viewer, given)
        self._read = len(tables)

    async def is_ready(self) -> None:
        given = tuple(self.fairness.due(self.viewer.view, self.viewer.seat))
        await self.node.command(self.viewer, Ready, contributions=given)

    async def moves(self, nodes: Nodes) -> "Program":
        """To the other node, after its connection was lost, as the same program."""
        other = nodes.b if self.node is nodes.a else nodes.a
        await self.node.drop(self.viewer)
        self.fairness.opened()
        return Program(other, await other.resume(self.viewer.place_taken.ticket), self.fairness)


async def all_read(*programs: Program) -> None:
    """Until none has anything to say any more."""
    for _ in range(4):
        for program in programs:
            await program.reads()
            await settled()


async def play_out(nodes: Nodes, *programs: Program) -> None:
    while programs[0].viewer.view.room.phase == "playing":
        for program in programs:
            if program.viewer.view.prompt is not None:
                await program.node.act(program.viewer)
        await nodes.move(1_000)
    await all_read(*programs)


async def seated(nodes: Nodes, deals: int = 1) -> tuple[Program, Program]:
    ann = await Program.hosts(nodes.a, deals)
    bea = await ann.brings(nodes.b, "Bea")
    await all_read(ann, bea)
    return ann, bea


async def test_players_at_two_nodes_make_the_cards_of_every_deal_together() -> None:
    async with running_nodes() as nodes:
        ann, bea = await seated(nodes, deals=2)
        await nodes.a.command(ann.viewer, Start, fill="easy")
        assert ann.viewer.view.room.phase == "dealing"
        await all_read(ann, bea)
        for deal in (1, 2):
            await play_out(nodes, ann, bea)
            assert [list(each.fairness.news()) for each in (ann, bea)] == [[Verdict(deal, own=True, wrong=())]] * 2
            if deal == 1:
                await ann.is_ready()
                await bea.is_ready()
                await nodes.move(0)
                assert ann.viewer.view.room.phase == "playing"


async def test_a_deal_waits_for_a_program_that_comes_back_at_another_node() -> None:
    async with running_nodes() as nodes:
        ann, bea = await seated(nodes)
        await nodes.a.command(ann.viewer, Start, fill="easy")
        await nodes.b.drop(bea.viewer)
        await all_read(ann)
        await nodes.move(PATIENCE_MS - 1_000)
        assert ann.viewer.view.room.phase == "dealing"
        bea = await bea.moves(nodes)
        await all_read(ann, bea)
        await play_out(nodes, ann, bea)
        assert list(bea.fairness.news()) == [Verdict(1, own=True, wrong=())]


async def test_a_deal_goes_on_when_a_node_dies_while_it_waits() -> None:
    async with running_nodes() as nodes:
        ann, bea = await seated(nodes)
        await nodes.a.command(ann.viewer, Start, fill="easy")
        await ann.reads()
        await nodes.a.crash()
        ann = Program(nodes.b, await nodes.b.resume(ann.viewer.place_taken.ticket), ann.fairness)
        await all_read(ann, bea)
        assert bea.viewer.view.room.phase == "playing"
        assert "void" not in bea.viewer.happened


async def test_who_stays_silent_is_waited_for_just_so_long_and_named() -> None:
    async with running_nodes() as nodes:
        ann, bea = await seated(nodes)
        await nodes.a.command(ann.viewer, Start, fill="easy")
        await all_read(ann)
        await nodes.move(PATIENCE_MS - 1)
        assert "void" not in ann.viewer.happened
        await nodes.move(1_000)
        assert ann.viewer.happened.count("void") == 1
        await all_read(ann)
        assert ann.viewer.view.room.phase == "playing"
        voided = [each for commit in nodes.commits(ann.viewer.place_taken.code) for each in commit.events]
        assert [each.missing for each in voided if isinstance(each, RoundVoided)] == [(1,)]
        await play_out(nodes, ann, bea)
        news = [each for program in (ann, bea) for each in program.fairness.news()]
        assert news == [Verdict(1, own=own, wrong=()) for own in (True, False)]


async def test_two_rooms_of_the_same_moment_have_other_secrets_and_other_decks() -> None:
    async with running_nodes() as nodes:
        codes = []
        for _ in range(2):
            viewer = await nodes.a.create(fill="easy")
            codes.append(viewer.place_taken.code)
        one, other = (nodes.state(code) for code in codes)
        assert one.dealt is not None
        assert other.dealt is not None
        assert one.dealt.secret != other.dealt.secret
        assert one.table.hands != other.table.hands


async def test_the_deck_in_the_log_is_the_one_that_follows() -> None:
    async with running_nodes() as nodes:
        ann, bea = await seated(nodes)
        await nodes.a.command(ann.viewer, Start, fill="easy")
        await all_read(ann, bea)
        state = nodes.state(ann.viewer.place_taken.code)
        assert state.dealt is not None
        committed = fair.commitment(state.code, 1, 1, state.dealt.secret)
        deck, first = fair.dealt(
            game_named("chuo-pai").pack, fair.seed(committed, state.dealt.secret, state.dealt.parts)
        )
        events = [event for commit in nodes.commits(state.code) for event in commit.events]
        assert [event for event in events if isinstance(event, DealStarted)] == [DealStarted(deck, first)]
