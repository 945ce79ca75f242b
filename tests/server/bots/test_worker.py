import subprocess
import sys


def test_a_worker_imports_neither_network_nor_event_loop() -> None:
    program = "import sys, server.bots.worker; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"asyncio", "websockets", "redis", "server.games.registry", "server.rooms"} & set(loaded)
