"""Charts a second with Matplotlib, in one warm process: charts.py SPECS.json pixels|png COUNT.

Draws the charts of a JSON list one after another, each in a figure of its own, 800 x 600, and prints seconds of processor time
for each chart. `png` writes PNG at zlib level 1, into memory.
"""

import io
import json
import sys
import time

import matplotlib

matplotlib.use("Agg")
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def draw(spec):
    figure = Figure(figsize=(8, 6), dpi=100)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    names, series, kind = spec["categories"], spec["series"], spec["style"]["type"]
    places = range(len(names))
    rows = [one["values"] for one in series]
    flat = kind.startswith("horizontal")
    labelled = spec["style"]["valueLabels"] != "none"
    if "bar" in kind:
        below = [0] * len(names)
        width = 0.7 if "stacked" in kind else 0.7 / len(rows)
        for k, (row, one) in enumerate(zip(rows, series)):
            if "stacked" in kind:
                at, base = list(places), list(below)
                below = [a + b for a, b in zip(below, row)]
            else:
                at, base = [p + (k - (len(rows) - 1) / 2) * width for p in places], 0
            if flat:
                bars = axes.barh(at, row, width, left=base, label=one["name"])
            else:
                bars = axes.bar(at, row, width, bottom=base, label=one["name"])
            if labelled:
                axes.bar_label(bars, label_type="center" if "stacked" in kind else "edge")
        (axes.set_yticks if flat else axes.set_xticks)(list(places), names)
    elif kind == "line":
        for row, one in zip(rows, series):
            axes.plot(names, row, marker="o", label=one["name"])
            if labelled:
                for p, value in zip(places, row):
                    axes.annotate(str(value), (p, value), textcoords="offset points", xytext=(0, 6), ha="center")
    elif kind == "area":
        axes.stackplot(names, rows, labels=[one["name"] for one in series])
    elif kind in ("pie", "donut"):
        wedge = {"width": 0.45} if kind == "donut" else {}
        axes.pie(rows[0], labels=names, autopct="%.1f" if labelled else None, wedgeprops=wedge)
    elif kind == "scatter":
        axes.scatter(rows[0], rows[1])
        for name, x, y in zip(names, rows[0], rows[1]):
            axes.annotate(name, (x, y), textcoords="offset points", xytext=(5, 0))
    elif kind == "heat-map":
        picture = axes.imshow(rows, aspect="auto", cmap="Blues")
        figure.colorbar(picture)
        axes.set_xticks(list(places), names)
        axes.set_yticks(range(len(rows)), [one["name"] for one in series])
        if labelled:
            for y, row in enumerate(rows):
                for x, value in enumerate(row):
                    axes.text(x, y, str(value), ha="center", va="center")
    axes.set_title(spec["title"])
    if kind not in ("pie", "donut", "heat-map"):
        axes.grid(True, axis="x" if flat else "y")
        axes.set_xlabel(spec["valueLabel"] if flat else spec["categoryLabel"])
        axes.set_ylabel(spec["categoryLabel"] if flat else spec["valueLabel"])
        if len(rows) > 1 and kind != "scatter":
            axes.legend()
    return canvas


def main():
    specs = json.load(open(sys.argv[1]))
    png, count = sys.argv[2] == "png", int(sys.argv[3])

    def one(spec):
        canvas = draw(spec)
        if png:
            canvas.print_png(io.BytesIO(), pil_kwargs={"compress_level": 1})
        else:
            canvas.draw()
            bytes(canvas.buffer_rgba())

    for spec in specs:
        one(spec)
    started = time.process_time()
    for i in range(count):
        one(specs[i % len(specs)])
    print((time.process_time() - started) / count)


main()
