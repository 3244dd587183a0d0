"""Named like a module that Python itself imports to run another; it leaves a trace when somebody imports it."""

from pathlib import Path

Path(__file__).with_name("imported.txt").write_text("imported")
raise RuntimeError("a module of the workspace was imported")
