"""``python audited.py LOG COMMAND...``: the command line under an audit hook; what it did to the machine is written to LOG, one event a line."""

from __future__ import annotations

import os
import sys

_EVENTS = (
    "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod",
    "os.chown", "os.truncate", "os.utime", "os.putenv", "subprocess.Popen", "shutil.", "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname",
    "socket.sendto", "urllib.Request", "http.client", "ftplib.", "smtplib.", "ctypes.dlopen", "pty.spawn", "tempfile.", "webbrowser.open", "pickle.find_class", "sqlite3.",
)  # fmt: skip


def main() -> None:
    log = open(sys.argv[1], "w", encoding="utf-8", buffering=1)  # noqa: SIM115
    arguments = sys.argv[2:]

    def hook(event: str, given: tuple[object, ...]) -> None:
        if event == "open":
            path, mode, flags = given
            writes = isinstance(flags, int) and flags & (
                os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
            )
            if writes and path != os.devnull:
                log.write(f"write {path!r} {mode!r}\n")
        elif event == "exec":
            code = given[0]
            log.write(f"run {getattr(code, 'co_filename', '')}\n")
        elif event.startswith(_EVENTS):
            log.write(f"{event} {given!r}\n")

    from pypto_lsp.cli import main as command

    sys.argv[1:] = arguments
    sys.addaudithook(hook)
    command()


if __name__ == "__main__":
    main()
