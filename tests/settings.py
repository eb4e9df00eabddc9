"""The settings of the tests: the product's own, on an empty home of this process.

No `ATTEST_*` variable and no `.env` of whoever runs the tests reaches them. Each
pytest-xdist worker is a process and so has a home of its own.
"""

import atexit
import os
import shutil
import tempfile

#: As in console.settings.environment.READ_ELSEWHERE, which would be too early here:
#: importing it reads the environment.
KEPT = {"ATTEST_SHARED", "ATTEST_TEST_DATABASE_URL", "ATTEST_VENVS"}

for name in [name for name in os.environ if name.startswith("ATTEST_")]:
    if name not in KEPT:
        del os.environ[name]
os.environ["ATTEST_HOME"] = tempfile.mkdtemp(prefix="attest-tests-")
os.environ["ATTEST_ENV_FILE"] = os.devnull
#: A PostgreSQL server to run on, where they're the tests of tests/servers/postgresql.
os.environ["ATTEST_DATABASE_URL"] = os.environ.get("ATTEST_TEST_DATABASE_URL", "")
atexit.register(shutil.rmtree, os.environ["ATTEST_HOME"], ignore_errors=True)

from console.settings import *  # noqa: E402, F403

# Hashing passwords slowly on purpose protects nobody here.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# On disk as in use: one in memory refuses a second thread's writes at once, where a file
# makes them wait.
DATABASES["default"]["TEST"] = {  # noqa: F405
    "NAME": f"tests_{os.getpid()}"
    if os.environ["ATTEST_DATABASE_URL"]
    else os.path.join(os.environ["ATTEST_HOME"], "tests.sqlite3")
}
