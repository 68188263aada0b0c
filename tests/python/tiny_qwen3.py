"""Writes a tiny, randomly initialised Qwen3 with Qwen3's real tokenizer: tiny_qwen3.py TOKENIZER_FOLDER OUT."""

import shutil
import sys
from pathlib import Path

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

source, out = Path(sys.argv[1]), Path(sys.argv[2])
torch.manual_seed(0)
config = Qwen3Config(
    vocab_size=151936,
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=16,
    max_position_embeddings=2048,
    tie_word_embeddings=True,
    bos_token_id=151643,
    eos_token_id=151645,
    dtype="float32",
)
# Wider than the usual 0.02: at this width nearly flat logits would leave a LoRA adapter nothing to hold on to.
config.initializer_range = 0.2
model = Qwen3ForCausalLM(config)
model.save_pretrained(out)
for name in ("tokenizer.json", "tokenizer_config.json"):
    shutil.copy(source / name, out / name)
print(f"wrote {out}: {sum(p.numel() for p in model.parameters())} parameters")
