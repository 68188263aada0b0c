"""Peers of the program sandbox: the same four rotations with nothing around them, and in a process and a manager for each.

Usage: sandbox.py direct|process COUNT. Prints seconds a program, without what loading takes.
"""

import hashlib
import io
import multiprocessing
import sys
import time

from PIL import Image

WIDTH, HEIGHT = 640, 480
ANGLES = (15, 90, 180, 200)


def picture():
    pixels = bytes((x * y + 7 * x + 3 * y + 31 * c) % 251 for y in range(HEIGHT) for x in range(WIDTH) for c in range(3))
    return Image.frombytes("RGB", (WIDTH, HEIGHT), pixels)


def edit(image, level):
    """Four edited images, each with its hash and as PNG."""
    made = []
    for angle in ANGLES:
        edited = image.rotate(angle, expand=True).convert("RGB")
        file = io.BytesIO()
        edited.save(file, "PNG", **({} if level is None else {"compress_level": level}))
        made.append((hashlib.sha256(edited.tobytes()).hexdigest(), file.getvalue()))
    return made


def in_a_process(image, results):
    results["made"] = edit(image, None)


def a_process_for_each(image):
    manager = multiprocessing.Manager()
    results = manager.dict()
    process = multiprocessing.Process(target=in_a_process, args=(image, results))
    process.start()
    process.join(30)
    made = results["made"]
    manager.shutdown()
    return made


def main():
    mode, count = sys.argv[1], int(sys.argv[2])
    image = picture()
    work = (lambda: edit(image, 1)) if mode == "direct" else (lambda: a_process_for_each(image))
    work()
    started = time.perf_counter()
    for _ in range(count):
        work()
    print((time.perf_counter() - started) / count)


if __name__ == "__main__":
    main()
