#!/bin/sh
# What the machine starts, with the path of a socket. Becomes the module, so that signals reach it.
cd "$(dirname "$0")"
./setup.sh || exit 1
exec .venv/bin/python src/main.py "$@"
