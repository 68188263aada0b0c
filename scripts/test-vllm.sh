#!/bin/sh
# Engine openai against a real vLLM on the CPU: a tiny random vision model is built and served, the tests of
# tests/engines/openai/vllm.test.ts run on it, and the base arm of the paper preset is evaluated to its end.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup-vllm.sh
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; [ -z "$server" ] || wait "$server" 2>/dev/null || true; rm -rf "$work" .venv-vllm/serving' EXIT
python=$PWD/.venv-vllm/bin/python
"$python" scripts/tiny-vlm.py "$work/model"

port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
# Prompts must not be prefilled in pieces: vLLM's CPU worker then dies on requests with a seed.
VLLM_CPU_KVCACHE_SPACE=1 VLLM_CPU_OMP_THREADS_BIND=nobind HF_HUB_OFFLINE=1 VLLM_NO_USAGE_STATS=1 \
  "$python" -m vllm.entrypoints.openai.api_server --model "$work/model" --served-model-name tiny \
  --host 127.0.0.1 --port "$port" --dtype float32 --max-model-len 4096 --max-num-seqs 16 --enforce-eager \
  --no-enable-chunked-prefill --max-num-batched-tokens 8192 >"$work/server.log" 2>&1 &
server=$!
tries=0
until "$python" -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/health', timeout=5)" 2>/dev/null; do
  tries=$((tries + 1))
  if [ "$tries" -gt 200 ] || ! kill -0 "$server" 2>/dev/null; then
    tail -n 40 "$work/server.log" >&2
    exit 1
  fi
  sleep 3
done

echo "http://127.0.0.1:$port/v1" >.venv-vllm/serving
npx vitest run tests/engines/openai/vllm.test.ts
npx tsx src/cli/main.ts run vico-clevr-paper --quiet --dir "$work/run" engine=openai vico.arm=base \
  "openai.baseUrls=[http://127.0.0.1:$port/v1]" openai.model=tiny vico.maxTokens=24 seeds.source=sampled seeds.count=2 \
  'seeds.objects=[3,4]' 'seeds.families=[zero_hop]' seeds.questionsPerScene=1 'evaluation.objects=[3,4]' \
  evaluation.imagesPerCount=2 evaluation.questionsPerImage=2 evaluation.samples=3
npx tsx src/cli/main.ts verify "$work/run"
