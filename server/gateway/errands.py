"""What the node is asked for a client, by the kind of its request."""

from protocol.messages import (
    EMOTES,
    AskHint,
    Contribute,
    Create,
    DealRecord,
    Emote,
    Export,
    Join,
    ListRooms,
    Rooms,
    Say,
    Watch,
    Why,
)
from server.gateway.outbox import Outbox
from server.gateway.session import Request, Resume
from server.node.port import Node


async def ask(node: Node, request: Request, name: str, outbox: Outbox) -> None:
    """Have it carried out for the one who calls themselves `name`. Raises `Refusal`."""
    match request:
        case Resume(ticket):
            await node.resume(outbox, ticket)
        case Create():
            await node.create(outbox, name, request)
        case Join(code, secret, contributes):
            await node.join(outbox, name, code, secret, contributes=contributes)
        case Watch(code):
            await node.watch(outbox, code)
        case ListRooms():
            outbox.tell(Rooms(await node.rooms()))
        case Contribute(contributions):
            await node.contribute(outbox, contributions)
        case Export(deal):
            outbox.tell(DealRecord(deal, await node.export(outbox, deal)))
        case Say(text):
            await node.say(outbox, name, text)
        case Emote(kind):
            await node.say(outbox, name, EMOTES[kind], kind)
        case AskHint(prompt):
            node.hint(outbox, prompt)
        case Why(prompt, text):
            outbox.tell(node.why(outbox, prompt, text))
        case command:
            await node.command(outbox, command)
