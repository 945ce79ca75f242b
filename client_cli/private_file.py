"""Files that are for their owner alone."""

import os
import tempfile
from pathlib import Path


def write_private(path: Path, content: bytes) -> None:
    """Write it, or anew, in one step; at no time can anybody else read it. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp makes files 0600, in the same directory so that the replacement is one step.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
