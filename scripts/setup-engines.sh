#!/bin/sh
# Makes the virtual environments of the tests that need Python libraries of the field: .venv-engines and .venv-vllm in the project.
set -eu
cd "$(dirname "$0")/.."
venv=.venv-engines
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check pyarrow==26.0.1 datasets==5.2.0 pillow==13.0.0
"$venv/bin/python" -c 'import pyarrow, datasets, PIL; print("ready: pyarrow", pyarrow.__version__, "datasets", datasets.__version__)'
sh scripts/setup-vllm.sh
