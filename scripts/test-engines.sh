#!/bin/sh
# The tests that need Python libraries of the field: a small run is trained, exported in every format, and read back; a tiny model is
# served by vLLM and sampled from.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup-engines.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
covolve="npx tsx src/cli/main.ts"
$covolve run vico-clevr-micro --quiet --dir "$work/run" report=false seeds.count=16 vico.rounds=1 vico.tasksPerRound=16 \
  vico.actor.tasksPerStep=8 evaluation.imagesPerCount=1 evaluation.samples=1
for format in verl trl easyr1 hf ms-swift vlmevalkit; do
  $covolve export "$work/run" --format $format --out "$work/$format"
done
.venv-engines/bin/python tests/python/test_exports.py "$work"
sh scripts/test-vllm.sh
sh scripts/test-tinker.sh
