"""A repository that does harm wherever it is imported, executed or trusted."""

from __future__ import annotations

import os
from pathlib import Path

#: What every file of it does first: leave a mark, in several ways.
LEAVE_MARK = """\
import os as _os, pathlib as _pathlib, subprocess as _subprocess, sys as _sys
_MARK = {mark!r}
open(_MARK, "a").write(__name__)
_pathlib.Path(_MARK).write_text("x")
_os.system("touch " + _MARK)
_os.popen("touch " + _MARK).read()
_subprocess.run(["touch", _MARK])
_subprocess.Popen("touch " + _MARK, shell=True)
__import__("os").mkdir(_MARK + ".folder")
exec("open(_MARK, 'w')")
eval("open(_MARK, 'w')")
compile("1", _MARK, "exec")
getattr(__builtins__, "open", print)(_MARK, "w")
[c for c in ().__class__.__base__.__subclasses__()][0]
"""

EVIL = (
    LEAVE_MARK
    + """
import atexit, ctypes, pickle, shutil, socket, urllib.request
atexit.register(lambda: open(_MARK, "w"))
urllib.request.urlopen("http://127.0.0.1:9/" + _MARK)
socket.create_connection(("127.0.0.1", 9))
shutil.rmtree(_os.path.dirname(_MARK))
pickle.loads(b"cos\\nsystem\\n(S'touch mark'\\ntR.")
ctypes.CDLL(None).system(b"touch mark")
_os._exit(3)
_sys.exit(3)
raise SystemExit(3)


def __getattr__(name):
    open(_MARK, "w")
    return 64


class Meta(type):
    def __new__(cls, *a, **k):
        open(_MARK, "w")
        return super().__new__(cls, *a, **k)

    def __call__(cls, *a):
        _os.system("touch " + _MARK)


class Trap(metaclass=Meta):
    def __init_subclass__(cls):
        open(_MARK, "w")

    def __class_getitem__(cls, item):
        open(_MARK, "w")
        return 64

    def __getattr__(self, name):
        open(_MARK, "w")
        return 64

    def __index__(self):
        open(_MARK, "w")
        return 64

    __int__ = __mul__ = __add__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __index__

    def __set_name__(self, owner, name):
        open(_MARK, "w")


class Child(Trap):
    field = Trap()


def touch(f):
    open(_MARK, "w")
    return f


@touch
def rows():
    _os.system("touch " + _MARK)
    return 64


ROWS = rows()
SIZE = Trap()
WIDE = Trap[64]
LAZY = lambda: open(_MARK, "w")
N = LAZY()
TEXT = f"{open(_MARK, 'w')}"
FORMAT = "{0.__class__.__init__.__globals__}".format(Trap)
"""
)

#: Evaluated up to the limit of steps; long enough to be kept apart from the rest.
ENDLESS = """\
import pypto
while True:
    open({mark!r}, "w")
N = 64
"""

KERNELS = """\
import pypto.language as pl
import evil
from evil import N, ROWS, SIZE, TEXT, WIDE, Child, rows, touch
from evil import *
from .package import relative
import evil.deeper


@touch
@pl.program
@evil.touch
class Program:
    field = evil.Trap()

    @pl.function
    @touch
    def kernel(
        self,
        x: pl.Tensor[[ROWS, N], pl.FP32],
        y: pl.Out[pl.Tensor[[SIZE, evil.rows()], pl.FP32]],
        z: evil.Trap[3],
        w: pl.Tensor[[WIDE, open({mark!r}, "w").write("x")], pl.FP32] = open({mark!r}, "w"),
    ) -> pl.Tensor[[ROWS, N], pl.FP32]:
        evil.touch(open({mark!r}, "w"))
        n = __import__("os").system("touch {mark}")
        with pl.at(level=pl.Level.CORE_GROUP, name_hint=TEXT):
            for i in pl.range(rows(), open({mark!r}, "w").fileno()):
                y[:, :] = pl.add(x, evil.missing)
                print(eval("open({mark!r}, 'w')"))
        return y


@pl.jit
def entry(x: pl.Tensor[[4, 4], pl.FP32], y: pl.Out[pl.Tensor[[4, 4], pl.FP32]]):
    y[:, :] = pl.add(x, Child().anything)
    return y


if __name__ == "__main__":
    __import__("os").system("touch {mark}")
"""

#: Names that Python, its libraries or common tools import by themselves, or that ours would import.
IMPORTED_BY_OTHERS = (
    "sitecustomize.py", "usercustomize.py", "conftest.py", "setup.py", "noxfile.py", "tasks.py", "__init__.py", "__main__.py", "ast.py", "typing.py", "json.py",
    "re.py", "click.py", "rich.py", "pygls.py", "lsprotocol.py", "tomllib.py", "dataclasses.py", "email.py", "csv.py", "glob.py", "fnmatch.py",
    "multiprocessing.py", "concurrent.py", "pypto_core.py", "pypto.py", "numpy.py", "torch.py", "logging.py", "importlib.py", "textwrap.py", "difflib.py",
    "asyncio.py", "inspect.py", "tokenize.py", "pathlib.py", "shutil.py", "decimal.py", "random.py",
)  # fmt: skip


def build(root: Path, mark: Path, endless: bool = False) -> None:
    """Write the repository below ``root``; whatever runs of it makes ``mark`` exist."""
    root.mkdir()
    mark_text = LEAVE_MARK.format(mark=str(mark))
    for name in IMPORTED_BY_OTHERS:
        (root / name).write_text(mark_text + "import pypto\n")
    (root / "evil.py").write_text(EVIL.replace("{mark!r}", repr(str(mark))))
    if endless:
        (root / "endless.py").write_text(ENDLESS.format(mark=str(mark)))
    (root / "kernels.py").write_text(KERNELS.format(mark=str(mark)))
    for folder in ("package", "pypto", "inner"):
        (root / folder).mkdir()
        (root / folder / "__init__.py").write_text(mark_text + "from evil import *\n")
        (root / folder / "__main__.py").write_text(mark_text)
    (root / "pypto" / "language.py").write_text(mark_text + "import evil\n")
    (root / "package" / "relative.py").write_text(
        mark_text + "from . import relative\nfrom .. import package\nimport pypto\n"
    )
    (root / "evil.pth").write_text(f"import os; os.system('touch {mark}')\n")
    (root / "pyvenv.cfg.txt").write_text("home = /\n")
    (root / ".env").write_text(f"PYTHONSTARTUP={root}/evil.py\nPYTHONPATH={root}\n")
    (root / ".vscode").mkdir()
    (root / ".vscode" / "settings.json").write_text(
        '{"pypto.serverPath": "./evil.sh", "pypto.interpreter": "./evil.sh"}\n'
    )
    script = root / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "inner" / "up").symlink_to("..", target_is_directory=True)
    (root / "self.py").symlink_to("self.py")
    (root / "ping.py").symlink_to("pong.py")
    (root / "pong.py").symlink_to("ping.py")
    (root / "nothing.py").symlink_to("/nonexistent/kernel.py")
    (root / "device.py").symlink_to("/dev/zero")
    (root / "secret.py").symlink_to("/etc/shadow")
    os.mkfifo(root / "pipe.py")
    (root / "folder.py").mkdir()
    (root / "name with\nnewline.py").write_text("import pypto\n")
    (root / "-rf.py").write_text("import pypto\n")
    (root / "$(touch mark).py").write_text("import pypto\n")
    (root / "uses_pipes.py").write_text(
        "import pypto.language as pl\nimport pipe, device, self, ping, nothing, secret, folder\nfrom pipe import N\n"
    )
