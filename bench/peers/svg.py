"""What the published code of MM-Zero uses, timed on the same input: svg.py draw|diversity FILE.json COUNT

draw: CairoSVG to PNG, 800 x 600, COUNT times round the list of markups; prints seconds and pictures.
diversity: the three-field diversity term of a list of proposals by NLTK and scikit-learn; prints seconds and the terms.
"""

import json
import sys
import time


def draw(markups, count):
    import cairosvg

    cairosvg.svg2png(bytestring=markups[0].encode(), output_width=800, output_height=600)
    start = time.perf_counter()
    for i in range(count):
        cairosvg.svg2png(bytestring=markups[i % len(markups)].encode(), output_width=800, output_height=600)
    return {"seconds": time.perf_counter() - start, "pictures": count}


def shares(texts):
    import numpy
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from sklearn.cluster import AgglomerativeClustering

    n = len(texts)
    smooth = SmoothingFunction().method1
    distances = numpy.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            distances[i, j] = distances[j, i] = 1 - sentence_bleu([texts[j]], texts[i], smoothing_function=smooth)
    model = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=0.25
    )
    labels = list(model.fit(distances).labels_)
    return [labels.count(label) / n for label in labels]


def diversity(proposals):
    n = len(proposals)
    sums = [0.0] * n
    start = time.perf_counter()
    for field, weight in (("caption", 0.45), ("easyQuestion", 0.20), ("hardQuestion", 0.35)):
        for i, share in enumerate(shares([proposal[field] for proposal in proposals])):
            sums[i] += weight * (share - 1 / n)
    terms = [-max(0.0, min(0.5, 0.5 * n * total)) for total in sums]
    return {"seconds": time.perf_counter() - start, "terms": terms}


mode, file, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(file, encoding="utf-8") as lines:
    given = json.load(lines)
print(json.dumps(draw(given, count) if mode == "draw" else diversity(given)))
