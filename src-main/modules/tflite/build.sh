#!/bin/sh
# Puts what belongs into the package into dist; "armature module build" runs it and packs the folder.
set -e
cd "$(dirname "$0")"
rm -rf dist
mkdir -p dist/src
cp meta.json README.md requirements.txt run.sh setup.sh dist/
cp src/*.py dist/src/
