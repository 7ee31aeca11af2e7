"""Private copies of the files that the command `upload` gives to pages."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import sys
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from chrome_tab_mcp_server import ChromeTabError, one_line, open_regular

__all__ = ["Uploads"]

MAX_UPLOAD_BYTES = 1024**3
BLOCK_BYTES = 1024**2
# How long shutdown waits for an unfinished copy: reading from a network drive may hang.
CLOSE_TIMEOUT_S = 2.0


class Opened(NamedTuple):
    """An open file that may be uploaded: its name, and its size and times."""

    file: BinaryIO
    name: str
    about: os.stat_result


class Uploads:
    """Private copies of files in the allowed folders, for pages.

    A path may point elsewhere after it was checked, and the browser reads the file after the command has ended: when
    a script of the page reads it or the form is submitted. So each file is opened once, the open file is checked, and
    the browser gets the path of a copy that only this user can access. Copies stay until the server exits; the oldest
    are deleted when the total exceeds MAX_UPLOAD_BYTES.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        # Resolved once: changing a link later does not allow more folders.
        self._roots = [real_folder(folder) for folder in folders]
        self._sizes: OrderedDict[Path, int] = OrderedDict()
        self._lock = threading.Lock()
        self._closing = False

    def copy(self, paths: Sequence[str]) -> list[str]:
        """Copy the files; return the paths of the copies, which keep the files' names. Blocks.

        Raises ChromeTabError: FILE_NOT_ALLOWED, or EXECUTION_ERROR if copying fails.
        """
        with self._lock, contextlib.ExitStack() as files:
            opened = [self._open(path, files) for path in paths]
            self._make_room(sum(one.about.st_size for one in opened))
            try:
                return self._copy(opened)
            except OSError as error:
                raise ChromeTabError(
                    "EXECUTION_ERROR",
                    f"The files could not be copied to {tempfile.gettempdir()} for the browser "
                    f"({error.strerror or error}). Free some space there, then try again.",
                ) from None

    def close(self) -> None:
        """Delete all copies; an unfinished copy fails."""
        self._closing = True
        if not self._lock.acquire(timeout=CLOSE_TIMEOUT_S):
            return
        try:
            while self._sizes:
                self._delete_oldest()
            self._closing = False
        finally:
            self._lock.release()

    def _open(self, path: str, files: contextlib.ExitStack) -> Opened:
        """Open an allowed file, which `files` closes; the error for others does not reveal whether they exist."""
        for root in self._roots:
            with contextlib.suppress(OSError, RuntimeError, ValueError):
                real = (root / Path(path).expanduser()).resolve(strict=True)
                # Nothing but files is opened: opening a pipe could wake the program at its other end.
                if real.is_file() and (file := self._checked(open_regular(real, getattr(os, "O_NOFOLLOW", 0)))):
                    return Opened(files.enter_context(file), real.name, os.fstat(file.fileno()))
        if not self._roots:
            sentence = "Uploads are off. Ask the user to start the server with --upload-folder and a folder."
            raise ChromeTabError("FILE_NOT_ALLOWED", sentence)
        raise ChromeTabError(
            "FILE_NOT_ALLOWED",
            f"Uploads are only allowed from {', '.join(map(str, self._roots))}; {one_line(path)!r} is not a "
            "file there. Check the path, ask the user to copy the file there, or to start the server with --upload-folder and its folder.",
        )

    def _checked(self, descriptor: int) -> BinaryIO | None:
        """Return a file object if the open file is really in an allowed folder; otherwise close it and return None."""
        with contextlib.ExitStack() as closing:
            file = closing.enter_context(os.fdopen(descriptor, "rb"))
            if any(map(path_of(descriptor).is_relative_to, self._roots)) and not is_others_link(descriptor):
                closing.pop_all()
                return file
        return None

    def _make_room(self, size: int) -> None:
        if size > MAX_UPLOAD_BYTES:
            sentence = (
                f"The files total {size:,} bytes; the maximum is {MAX_UPLOAD_BYTES:,}. Upload fewer or smaller files."
            )
            raise ChromeTabError("FILE_NOT_ALLOWED", sentence)
        while self._sizes and sum(self._sizes.values()) + size > MAX_UPLOAD_BYTES:
            self._delete_oldest()

    def _delete_oldest(self) -> None:
        shutil.rmtree(self._sizes.popitem(last=False)[0], ignore_errors=True)

    def _copy(self, opened: Sequence[Opened]) -> list[str]:
        folder = Path(tempfile.mkdtemp(prefix="chrome_tab_upload_"))  # mode 0700
        try:
            # Files from different folders may have the same name.
            copies = [folder / str(number) / one.name for number, one in enumerate(opened)]
            for one, copy in zip(opened, copies, strict=True):
                copy.parent.mkdir()
                self._write(one, copy)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._sizes[folder] = sum(one.about.st_size for one in opened)
        return [str(copy) for copy in copies]

    def _write(self, one: Opened, path: Path) -> None:
        """Write as many bytes as the file had when it was opened, even if it has grown."""
        left = one.about.st_size
        with path.open("xb") as copy:
            while block := one.file.read(min(left, BLOCK_BYTES)):
                if self._closing:
                    raise OSError(errno.ECANCELED, "the server ends")
                copy.write(block)
                left -= len(block)
        # Pages can read a file's modification time.
        os.utime(path, ns=(one.about.st_atime_ns, one.about.st_mtime_ns))


def is_others_link(descriptor: int) -> bool:
    """Return whether an open file belongs to another user and has more hard links, which may be outside the folders.

    The original path of a hard link is unknown, so it cannot be checked. Links to other users' files are refused: the
    owner may not know about the link. Links to this user's own files are allowed, since package managers and backups
    create them: a process of this user could also have copied the file here, and other users can only link to files
    that they may read and write anyway (Linux: fs.protected_hardlinks; Windows: the right to write attributes).
    """
    about = os.fstat(descriptor)
    return os.name == "posix" and about.st_nlink > 1 and about.st_uid != os.geteuid()


def real_folder(folder: str) -> Path:
    """Return a folder's path in the form that `path_of` returns for the files in it."""
    path = os.path.realpath(os.path.expanduser(folder))  # noqa: PTH111 -- does not fail for an unknown user
    if sys.platform == "darwin":  # with the spelling on disk: "downloads" may be "Downloads"
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                return path_of(descriptor)
            finally:
                os.close(descriptor)
    return Path(path)


def path_of(descriptor: int) -> Path:
    """Return the system's path of an open file: without links, whatever path was used to open it."""
    if sys.platform == "win32":
        import ctypes
        import msvcrt

        buffer = ctypes.create_unicode_buffer(32_768)
        handle = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor))
        if not ctypes.windll.kernel32.GetFinalPathNameByHandleW(handle, buffer, len(buffer), 0):
            raise ctypes.WinError()
        return Path(re.sub(r"^\\\\\?\\(UNC\\)?", lambda at: "\\\\" if at[1] else "", buffer.value))
    if sys.platform == "darwin":
        import fcntl

        return Path(os.fsdecode(fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0")))
    return Path(f"/proc/self/fd/{descriptor}").readlink()
