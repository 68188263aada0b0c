"""Builds a tiny vision-language model with random weights, its tokenizer and its processor, without downloading anything.

    python scripts/tiny-vlm.py DIRECTORY

The shape is Qwen2.5-VL's (vision tower with windows, merger, decoder with multimodal rotary positions), with 2 layers of width 64
and a vocabulary of single bytes and Qwen's special tokens. What it says is noise; that it reads text and pictures, counts tokens,
obeys grammars and answers over HTTP is real.
"""

import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    PreTrainedTokenizerFast,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2_5_VLProcessor,
    Qwen2VLImageProcessor,
)

SPECIAL = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
]

# Qwen's chat format: messages between marks, a picture as one placeholder that the processor widens.
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}"
    "{% else %}{% for part in message['content'] %}"
    "{% if part['type'] in ['image', 'image_url'] %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif 'text' in part %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def build_tokenizer() -> PreTrainedTokenizerFast:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: i for i, letter in enumerate(letters)}
    bytes_only = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bytes_only.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_only.decoder = decoders.ByteLevel()
    bytes_only.add_special_tokens(SPECIAL)
    return PreTrainedTokenizerFast(
        tokenizer_object=bytes_only,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=TEMPLATE,
        model_max_length=4096,
    )


def build_config(tokenizer: PreTrainedTokenizerFast) -> Qwen2_5_VLConfig:
    def token(name: str) -> int:
        return tokenizer.convert_tokens_to_ids(name)

    return Qwen2_5_VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "max_position_embeddings": 4096,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [4, 6, 6]},
            "tie_word_embeddings": True,
            "bos_token_id": token("<|endoftext|>"),
            "eos_token_id": token("<|im_end|>"),
            "pad_token_id": token("<|endoftext|>"),
        },
        vision_config={
            "depth": 2,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_heads": 2,
            "out_hidden_size": 64,
            "patch_size": 14,
            "spatial_merge_size": 2,
            "window_size": 112,
            "fullatt_block_indexes": [1],
        },
        image_token_id=token("<|image_pad|>"),
        video_token_id=token("<|video_pad|>"),
        vision_start_token_id=token("<|vision_start|>"),
        vision_end_token_id=token("<|vision_end|>"),
        tie_word_embeddings=True,
    )


def main(directory: Path) -> None:
    torch.manual_seed(1)
    tokenizer = build_tokenizer()
    model = Qwen2_5_VLForConditionalGeneration(build_config(tokenizer))
    # Wider than the initialisation of a network that is to be trained: what it says then differs from place to place.
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.2)
    model.generation_config.eos_token_id = tokenizer.convert_tokens_to_ids("<|im_end|>")
    model.generation_config.pad_token_id = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    processor = Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(min_pixels=56 * 56, max_pixels=480 * 480),
        tokenizer=tokenizer,
        video_processor=video_processor(),
        chat_template=TEMPLATE,
    )
    model.save_pretrained(directory)
    processor.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    millions = sum(p.numel() for p in model.parameters()) / 1e6
    print(f"{directory}: {millions:.2f} million parameters, {len(tokenizer)} tokens")


def video_processor():
    from transformers import Qwen2VLVideoProcessor

    return Qwen2VLVideoProcessor()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
