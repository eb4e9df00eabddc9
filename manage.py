#!/usr/bin/env python3
"""Run Attest's commands; `./manage.py help` lists them."""

from __future__ import annotations

import errno
import os
import select
import signal
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

#: A full disk, one that may only be read, a folder of somebody else.
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)


def main() -> int:
    """Prepare ATTEST_HOME where the command needs it, then run the command."""
    if find_spec("django") is None:
        return run_in_environment()
    try:
        "".join(sys.argv).encode()
    except UnicodeEncodeError:
        sys.stderr.write("An argument is no UTF-8 text.\n")
        return 2
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    from console.database_trouble import mend_of, told
    from console.preparation import prepare_for

    try:
        prepare_for(sys.argv[1:])
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except DatabaseError as error:
        mend = mend_of(error) or "`./manage.py doctor` says more."
        sys.stderr.write(f"The database can't be prepared: {told(error)}. {mend}\n")
        return 2
    return run_told(execute_from_command_line)


def run_told(run: Callable[[list[str]], None]) -> int:
    """Run a command; tell on one line of a disk or database that fails meanwhile."""
    from django.db import DatabaseError, IntegrityError, ProgrammingError

    from console.database_trouble import mend_of, told

    try:
        run(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:
        if not reader_is_gone():
            raise
        return 128 + signal.SIGPIPE
    except (IntegrityError, ProgrammingError):
        raise  # a mistake of ours: the traceback says where
    except DatabaseError as error:
        mend = mend_of(error)
        if not mend or "--traceback" in sys.argv:
            raise
        sys.stderr.write(f"The database failed: {told(error)}. {mend}\n")
        return 2
    except OSError as error:
        if error.errno not in UNWRITABLE or "--traceback" in sys.argv:
            raise
        sys.stderr.write(
            f"{error.filename or 'A file'} can't be written: {error.strerror}. Make "
            "room there, or give this user the right to write.\n"
        )
        return 2
    return 0


def reader_is_gone() -> bool:
    """Tell whether nobody reads our output any more, as after `| head`; then drop it."""
    output = select.poll()
    output.register(sys.stdout.fileno(), select.POLLOUT)
    if not any(event & select.POLLERR for _, event in output.poll(0)):
        return False
    # Python flushes once more when it ends, and would complain.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True


def run_in_environment() -> int:
    """Start again with the Python that `make setup` made, unless this is it."""
    python = Path(__file__).resolve().parent / ".venv" / "bin" / "python"
    if python.exists() and Path(sys.prefix) != python.parent.parent.resolve():
        os.execv(python, [str(python), *sys.argv])  # noqa: S606
    sys.stderr.write("Attest's packages are not installed: run `make setup`.\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
