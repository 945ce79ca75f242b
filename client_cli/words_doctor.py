"""What `paizhuo doctor` says. As in `words`: values in, one line out."""

from collections.abc import Mapping, Sequence

from client_cli.language import listed, tr, tr_n
from client_cli.text import clipped


def state(name: str) -> str:
    """`name`: a state of `client_cli.doctor.Check`."""
    return {"ok": tr("ok"), "warning": tr("warning"), "failure": tr("FAILURE")}[name]


def titles() -> Mapping[str, str]:
    """What is looked at, in order."""
    return {
        "python": tr("Python"),
        "parts": tr("Parts"),
        "terminal": tr("Terminal"),
        "encoding": tr("Encoding"),
        "width": tr("Width of frames"),
        "settings": tr("Settings"),
        "seats": tr("Saved seats"),
        "server": tr("Own server"),
        "store": tr("Redis or Valkey"),
        "lan": tr("Local network"),
        "dns": tr("Address"),
        "tcp": tr("Connection"),
        "tls": tr("Encryption"),
        "http": tr("Server"),
        "websocket": tr("Game protocol"),
    }


def check_line(title: str, state: str, found: str, remedy: str) -> str:
    if remedy:
        return tr("{state}: {title}: {found}. {remedy}", title=title, state=state, found=found, remedy=remedy)
    return tr("{state}: {title}: {found}", title=title, state=state, found=found)


def parts(versions: Sequence[tuple[str, str | None]]) -> str:
    """`versions`: None for what is not installed."""
    return listed(
        tr("{part} {version}", part=part, version=version) if version else tr("no {part}", part=part)
        for part, version in versions
    )


def terminal(kind: str, columns: int, rows: int, colours: str) -> str:
    if colours == "none":
        return tr("{kind}, {columns}x{rows}, no colours", kind=clipped(kind), columns=columns, rows=rows)
    depth = tr("true colours") if colours == "truecolor" else tr("{count} colours", count=colours)
    return tr("{kind}, {columns}x{rows}, {depth}", kind=clipped(kind), columns=columns, rows=rows, depth=depth)


def no_terminal() -> str:
    return tr("the output is no terminal, so there is line mode only")


def dumb_terminal() -> str:
    return tr("a terminal that can show lines only")


def small_terminal(columns: int, rows: int) -> str:
    return tr(
        "The full screen needs {columns}x{rows}: enlarge the window, or play with --plain", columns=columns, rows=rows
    )


def encoding(name: str) -> str:
    return clipped(name)


def set_utf8() -> str:
    return tr("Cards are shown by their codes. To see them, choose a UTF-8 locale, such as LANG=C.UTF-8")


def cells(count: int | None) -> str:
    if count is None:
        return tr("the terminal did not say, so one cell is expected")
    return tr_n("{count} cell", "{count} cells, so frames are drawn with ASCII", count)


def if_frames_break() -> str:
    return tr("If frames are broken: paizhuo config set ascii on")


def no_settings(path: str) -> str:
    return tr("all by default; they would be in {path}", path=path)


def edit_settings() -> str:
    return tr("Mend it with: paizhuo config edit")


def seats(count: int, path: str) -> str:
    return tr_n("{count} in {path}", "{count} in {path}", count, path=path)


def unreadable_seats(count: int, path: str) -> str:
    return tr_n("{count} file in {path} is no seat", "{count} files in {path} are no seats", count, path=path)


def delete_them() -> str:
    return tr("What is there cannot be used any more: delete it")


def not_writable(path: str, error: str) -> str:
    return tr("nothing can be saved in {path}: {error}", path=path, error=error)


def make_writable() -> str:
    return tr("Without that, a seat is lost with its window: make the folder writable, or set XDG_STATE_HOME")


def server_starts() -> str:
    return tr("starts and stops; rooms are kept in an SQLite file")


def only_for_hosts() -> str:
    return tr("Needed to play against bots and to host; not to join others")


def store_found(program: str, version: str) -> str:
    return tr("{program} {version}, which can be used with --store", program=program, version=clipped(version))


def store_missing() -> str:
    return tr("not found, and not needed")


def lan_works(address: str) -> str:
    return tr("servers can be announced and found from {address}", address=clipped(address))


def lan_off(address: str) -> str:
    return tr("could be used from {address}, but the setting lan is off", address=clipped(address))


def resolved(host: str, addresses: Sequence[str]) -> str:
    return tr("{host} is {addresses}", host=clipped(host), addresses=listed(addresses))


def not_resolved(host: str, error: str) -> str:
    return tr("{host} is not known: {error}", host=clipped(host), error=error)


def check_name() -> str:
    return tr("Check the name, and whether this machine is online")


def connected(port: int) -> str:
    return tr("port {port} is open", port=port)


def not_connected(port: int, error: str) -> str:
    return tr("port {port} does not answer: {error}", port=port, error=error)


def check_server() -> str:
    return tr("Does the server run, does it listen for others (--lan), and do firewalls let the port through?")


def secured(protocol: str, until: str | None) -> str:
    """`until`: the end of the certificate, as OpenSSL writes it; None where the fingerprint counts alone."""
    if until is None:
        return tr("{protocol}, and the fingerprint is that of the address", protocol=protocol)
    return tr("{protocol}, with a trusted certificate until {until}", protocol=protocol, until=clipped(until))


def serves(version: str, protocols: Sequence[str]) -> str:
    return tr("paizhuo-server {version}, {protocols}", version=clipped(version), protocols=clipped(listed(protocols)))


def no_version(error: str) -> str:
    return tr("no answer to a request for its version: {error}", error=clipped(error))


def other_program() -> str:
    return tr("Is it a Paizhuo server, and is the address complete?")


def speaks(name: str) -> str:
    return tr("{protocol} is spoken", protocol=name)


def no_answer(seconds: int) -> str:
    return tr_n("no answer within {count} second", "no answer within {count} seconds", seconds)


def check_proxy() -> str:
    return tr("If there is a proxy before the server, it has to let WebSockets through")


def by_eye() -> str:
    return tr("Look at these rows: every sign is whole, and all end with a bar in the same column.")


def samples() -> Mapping[str, str]:
    """What the rows show, by their names in `client_cli.doctor`."""
    return {
        "ascii": tr("ASCII"),
        "box": tr("Frames and pips"),
        "tiles": tr("Domino tiles"),
        "hanzi": tr("Chinese characters"),
        "emoji": tr("Emoji"),
    }
