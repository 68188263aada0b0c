"""Makes bleu_cluster.json: BLEU by NLTK and cluster labels by scikit-learn.

    python -m venv /tmp/venv && /tmp/venv/bin/pip install nltk==3.10.4 scikit-learn==1.9.1
    /tmp/venv/bin/python tests/rewards/__fixtures__/make_bleu_cluster.py
"""

import json
import pathlib
import random

import numpy
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from sklearn.cluster import AgglomerativeClustering

WORDS = "img crop rotate angle width height return def edit_image args box for in range paste ( ) = , : 2 90".split()
CUTS = [0.05, 0.25, 0.5, 0.75, 0.9]


def texts(rng):
    edge = [[], ["img"], ["img", "crop"], ["img", "crop", "box"], ["alone"] * 6, ["img"] * 9, ["img"] * 4]
    bases = [[rng.choice(WORDS) for _ in range(rng.randint(5, 30))] for _ in range(5)]
    near = []
    for base in bases:
        for _ in range(4):
            copy = list(base)
            for _ in range(rng.randint(0, 6)):
                copy[rng.randrange(len(copy))] = rng.choice(WORDS)
            near.append(copy[: rng.randint(max(4, len(copy) - 3), len(copy))])
    return edge + near


def labels(distances, cut):
    model = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=cut
    )
    return [int(label) for label in model.fit(numpy.array(distances)).labels_]


def clusterings(distances):
    return [{"cut": cut, "labels": labels(distances, cut)} for cut in CUTS]


def symmetric(n, entry):
    matrix = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            matrix[i][j] = matrix[j][i] = entry(i, j)
    return matrix


def main():
    rng = random.Random(20240501)
    method1 = SmoothingFunction().method1
    items = texts(rng)
    n = len(items)
    bleu = [[float(sentence_bleu([items[j]], items[i], smoothing_function=method1)) for j in range(n)] for i in range(n)]
    by_bleu = symmetric(n, lambda i, j: 1 - bleu[i][j])
    random_points = symmetric(30, lambda i, j: round(rng.random(), 3))
    tied_points = symmetric(20, lambda i, j: rng.randint(1, 5) / 4)
    out = {
        "texts": [" ".join(item) for item in items],
        "bleu": bleu,
        "bleuClusters": clusterings(by_bleu),
        "matrices": [
            {"distances": matrix, "clusters": clusterings(matrix)} for matrix in (random_points, tied_points)
        ],
    }
    path = pathlib.Path(__file__).with_name("bleu_cluster.json")
    path.write_text(json.dumps(out, separators=(",", ":")) + "\n")


main()
