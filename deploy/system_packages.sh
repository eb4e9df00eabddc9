#!/bin/sh
# Installs what the tests need beside Python: Chromium, for the tests of the pages.
# As root with apt it installs; otherwise it says what is missing and goes on.
set -eu
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Chromium for the browser tests …" >&2
    export DEBIAN_FRONTEND=noninteractive
    if apt-get update -qq && apt-get install -y -qq --no-install-recommends \
        chromium fonts-dejavu-core >/dev/null; then exit 0; fi
fi
echo "Chromium is not installed, so the browser tests will be skipped. On Debian: apt-get install chromium" >&2
