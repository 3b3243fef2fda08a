#!/bin/sh
# Installs what the module needs into .venv beside it. Does nothing where that is whole and of these requirements.
set -e
cd "$(dirname "$0")"
if cmp -s requirements.txt .venv/installed.txt; then exit 0; fi
fail() {
  rm -rf .venv
  echo "The TensorFlow Lite module could not be set up: $1" >&2
  exit 1
}
test -w . || {
  echo "The TensorFlow Lite module is not set up, and may not write to $(pwd). Run setup.sh there once, as its owner." >&2
  exit 1
}
rm -rf .venv
"${PYTHON:-python3}" -m venv .venv ||
  fail "no virtual environment can be made. Install Python 3.10 or newer with venv (Debian: sudo apt install python3-venv)."
.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt ||
  fail "its packages (requirements.txt) could not be installed. It needs the package index of Python (pypi.org), once."
# The last step: an installation that was cut off is not taken for a whole one.
cp requirements.txt .venv/installed.txt
