"""Files that appear under their names only when they are whole."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from typing import BinaryIO


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """To write to; what was there before stays until all is written, and for good if that fails.

    Of a link, the file that it names is written. Devices and pipes are written as they are.
    """
    is_old = os.path.isfile(path)
    if os.path.exists(path) and not is_old:
        with open(path, "wb") as file:
            yield file
        return
    target = os.path.realpath(path)
    aside = os.path.join(os.path.dirname(target), f".coppice-{secrets.token_hex(8)}.partial")
    try:
        with open(aside, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if is_old:
            shutil.copymode(target, aside)
        os.replace(aside, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(aside)
        raise
