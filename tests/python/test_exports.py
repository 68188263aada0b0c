"""Reads every export of a run with the libraries that trainers read it with. Usage: test_exports.py FOLDER, one folder a format."""

import csv
import base64
import io
import json
import sys
from pathlib import Path

import datasets
import pyarrow.parquet as pq
from PIL import Image

FOLDER = Path(sys.argv[1])
csv.field_size_limit(10**9)
datasets.disable_progress_bars()


def parquet(name):
    files = str(FOLDER / name / "*.parquet")
    return datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=str(FOLDER / "cache"))


def png(data):
    image = Image.open(io.BytesIO(data))
    image.load()
    assert image.format == "PNG" and min(image.size) >= 28, image
    return image


def verl():
    rows = [row for file in sorted((FOLDER / "verl").glob("*.parquet")) for row in pq.read_table(file).to_pylist()]
    for row in rows:
        assert set(row) == {"data_source", "prompt", "images", "ability", "reward_model", "extra_info"}, row.keys()
        marks = sum(message["content"].count("<image>") for message in row["prompt"])
        assert marks == len(row["images"]) == 1, marks
        png(row["images"][0]["bytes"])
        assert row["reward_model"]["ground_truth"] == row["extra_info"]["answer"] != ""
        json.loads(row["extra_info"]["derivation"])
    return len(rows)


def pictured(name, answer):
    rows = parquet(name)
    assert "Image" in str(rows.features["images"]), rows.features["images"]
    for row in rows:
        (image,) = row["images"]
        assert min(image.size) >= 28 and row[answer] != ""
    return rows


def trl():
    rows = pictured("trl", "solution")
    for row in rows:
        kinds = [part["type"] for message in row["prompt"] for part in message["content"]]
        assert kinds == ["image", "text"], kinds
    return len(rows)


def easyr1():
    rows = pictured("easyr1", "answer")
    assert all(row["problem"].count("<image>") == 1 for row in rows)
    return len(rows)


def hf():
    return len(pictured("hf", "answer"))


def swift():
    folder = FOLDER / "ms-swift"
    rows = datasets.load_dataset(
        "json", data_files=str(folder / "*.jsonl"), split="train", cache_dir=str(FOLDER / "cache")
    )
    for row in rows:
        assert row["messages"][0]["content"].count("<image>") == len(row["images"])
        png((folder / row["images"][0]).read_bytes())
    return len(rows)


def vlmevalkit():
    (file,) = (FOLDER / "vlmevalkit").glob("*.tsv")
    with open(file, newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    for index, row in enumerate(rows):
        assert int(row["index"]) == index and row["question"] and row["answer"]
        png(base64.b64decode(row["image"]))
    return len(rows)


counts = {name: check() for name, check in
          dict(verl=verl, trl=trl, easyr1=easyr1, hf=hf, swift=swift, vlmevalkit=vlmevalkit).items()}
assert len(set(counts.values())) == 1, counts
print(f"ok: {counts}")
