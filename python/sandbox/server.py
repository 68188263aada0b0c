"""The interpreter of a sandbox: loads Pillow and NumPy once, then forks a child for every program.

Speaks a length-checked binary protocol (little-endian) on its standard streams; src/sandbox/protocol.ts is the other end.
Nothing that a child says is parsed here beyond the lengths of its frames.
"""

import base64
import gc
import json
import mmap
import os
import select
import signal
import struct
import sys
import time

import isolate
import program

STATUSES = ("ok", "timeout", "memory", "forbidden", "exception", "bad-output", "malformed", "crashed")
FRAME = struct.Struct("<BI")  # kind, bytes that follow
SIZE = struct.Struct("<II")  # width, height
FAILURE = struct.Struct("<BI")  # status, line
REQUEST = struct.Struct("<4sIIII")  # magic, id, bytes of program, width, height
ANSWER = struct.Struct("<4sIBIII")  # magic, id, status, line, bytes of text, images
CHECKED, IMAGE, DONE, FAILED = 1, 2, 3, 4
HEAP = 16 * 2**20
MAX_REASON = 2000


class Late(Exception):
    """The child's time is up."""


class Broken(Exception):
    """The child said something that the protocol doesn't have, or nothing any more."""


def load():
    """Imports all that a program may come to need: a child can't open files, and so can't import what isn't there."""
    import encodings.idna, encodings.latin_1, encodings.utf_16  # noqa: E401, F401
    import importlib

    import numpy

    for name in "fft linalg ma polynomial lib.stride_tricks core._methods core._dtype_ctypes".split():
        _import(importlib, f"numpy.{name}")
    from PIL import Image

    Image.init()
    names = (
        "Chops Cms Color Draw Draw2 Enhance File Filter Font Math Morph Ops Palette Path Sequence Stat Transform"
    ).split()
    for name in names:
        _import(importlib, f"PIL.Image{name}")
    for name in sorted(program.ALLOWED):
        _import(importlib, name)
    _without_random(numpy)
    _exercise(numpy, Image)
    return sys.version.split()[0], Image.__version__, numpy.__version__


def _import(importlib, name):
    try:
        importlib.import_module(name)
    except ImportError:
        pass  # an optional part that this machine doesn't have


class _NoRandom:
    def __getattr__(self, name):
        raise PermissionError(1, f"numpy.random.{name}: a program must do the same each time")


def _without_random(numpy):
    numpy.random = _NoRandom()
    for name in [n for n in sys.modules if n == "random" or n.startswith(("numpy.random", "secrets"))]:
        del sys.modules[name]
    sys.modules["random"] = None
    sys.modules["secrets"] = None


def _exercise(numpy, Image):
    """Makes libraries do their first-time work before the fork rather than after every one."""
    image = Image.new("RGB", (64, 64))
    image.rotate(10, resample=Image.BICUBIC).resize((32, 32)).convert("L").tobytes()
    Image.fromarray(numpy.asarray(image) // 2).load()


# ---- the child -------------------------------------------------------------------------------------------------------


def child(config, requests, results):
    """Everything between fork and exit. Whatever goes wrong here ends this process only."""
    isolate.warm_heap(HEAP)
    isolate.confine(config["seconds"], config["addressSpace"], config["filter"])
    # Read before a single byte of the program is looked at; from then on nothing more is read.
    length, width, height = struct.unpack("<III", _take(requests, 12))
    source = _take(requests, length)
    pixels = _take(requests, 3 * width * height)
    os.close(requests)
    try:
        _run(config, results, source, pixels, (width, height))
    except BaseException as error:
        status, reason, line = program.failure(error)
        del error
        text = reason.encode("utf-8", "replace")[:MAX_REASON]
        _give(results, FAILED, FAILURE.pack(STATUSES.index(status), line & 0x7FFFFFFF) + text)


def _run(config, results, source, pixels, size):
    from PIL import Image

    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        raise program.Refused("malformed", "no UTF-8") from None
    checked = program.check(text, config["characters"], config["sets"])
    _give(results, CHECKED, program.describe(checked).encode("ascii"))
    image = Image.frombytes("RGB", size, pixels)
    for edited in program.outputs(checked, image, config["minPixels"], config["maxPixels"]):
        _give_image(results, edited)
    _give(results, DONE, b"")


def _give_image(results, image):
    from PIL import Image

    width, height = image.size
    bytes_ = 3 * width * height
    head = FRAME.pack(IMAGE, SIZE.size + bytes_) + SIZE.pack(width, height)
    os.write(results, head)
    try:
        # Packs through one small buffer straight into the pipe; tobytes would make two copies of the whole.
        encoder = Image._getencoder("RGB", "raw", ("RGB", 0, 1))
        encoder.setimage(image.im, (0, 0, width, height))
        encoder.encode_to_file(results, 1 << 18)
        encoder.cleanup()
    except AttributeError:
        _write(results, image.tobytes("raw", "RGB"))


def _give(results, kind, payload):
    _write(results, FRAME.pack(kind, len(payload)) + payload)


def _write(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _take(descriptor, length):
    data = bytearray(length)
    view = memoryview(data)
    while view:
        count = os.readv(descriptor, [view])
        if count == 0:
            os._exit(0)
        view = view[count:]
    return bytes(data)


# ---- the parent ------------------------------------------------------------------------------------------------------


class Child:
    """A forked interpreter that waits for its one program."""

    def __init__(self, config, null):
        requests, self.requests = os.pipe()
        self.results, results = os.pipe()
        for pipe in (requests, results):
            _widen(pipe)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                isolate.descriptors((requests, results), null)
                child(config, requests, results)
            finally:
                os._exit(0)
        os.close(requests)
        os.close(results)
        os.set_blocking(self.results, False)

    def end(self):
        """Kills and reaps it; the signal that ended it, 0 for an exit of its own, and its CPU seconds."""
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if pid == 0:
            os.kill(self.pid, signal.SIGKILL)
            os.wait4(self.pid, 0)
            status = None
        os.close(self.requests)
        os.close(self.results)
        return status, usage.ru_utime + usage.ru_stime


def _widen(pipe):
    try:
        import fcntl

        fcntl.fcntl(pipe, 1031, 1 << 20)  # F_SETPIPE_SZ
    except OSError:
        pass  # a quota of the machine; it works with less, in smaller pieces


class Server:
    def __init__(self, config, source, sink, null):
        self.config = config
        self.source = source
        self.sink = sink
        self.null = null
        # Not inherited: a child sees no other program's pictures, and a fork copies no page tables of them.
        self.request = _private(3 * config["maxInputPixels"] + 4 * config["characters"] + 4096)
        self.answer = _private(config["sets"] * 3 * config["maxPixels"])
        self.poll = select.poll()

    def serve(self):
        spare = Child(self.config, self.null)
        while True:
            head = self._read(REQUEST.size)
            if head is None:
                return
            magic, number, length, width, height = REQUEST.unpack(head)
            total = length + 3 * width * height
            if magic != b"CVP1" or total > len(self.request):
                raise Broken("no request")
            body = memoryview(self.request)[:total]
            if not self._read_into(body):
                return
            answer = self._answer(spare, struct.pack("<III", length, width, height), body)
            self._send(number, *answer)
            spare = Child(self.config, self.null)

    def _answer(self, one, head, body):
        """Status, line, text, sizes and the length of the pixels in `self.answer`."""
        deadline = time.monotonic() + self.config["seconds"]
        late = False
        try:
            _write(one.requests, head)
            _write(one.requests, body)
            return self._collect(one, deadline)
        except Late:
            late = True
        except (Broken, BrokenPipeError):
            # Let it die of what it is dying of, so that there is a cause to tell.
            end = time.monotonic() + 0.2
            while os.waitid(os.P_PID, one.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                if time.monotonic() > end:
                    break
                time.sleep(0.002)
        finally:
            status, cpu = one.end()
        if late:
            return self._failed("timeout", f"more than {self.config['seconds']:g} s")
        return self._failed(*_cause(status, cpu, self.config["seconds"]))

    def _collect(self, one, deadline):
        """Reads frames until the child is done. Their order and lengths are all that is believed."""
        text = None
        sizes = []
        filled = 0
        pixels = memoryview(self.answer)
        head = bytearray(FRAME.size)
        self.poll.register(one.results, select.POLLIN)
        try:
            while True:
                self._receive(one.results, memoryview(head), deadline)
                kind, length = FRAME.unpack(head)
                if kind == CHECKED and text is None and length <= self.config["maxTextBytes"]:
                    text = self._receive_bytes(one.results, length, deadline)
                elif kind == IMAGE and text is not None and len(sizes) < self.config["sets"]:
                    width, height = SIZE.unpack(self._receive_bytes(one.results, SIZE.size, deadline))
                    bytes_ = 3 * width * height
                    inside = self.config["minPixels"] <= width * height <= self.config["maxPixels"]
                    if not inside or length != SIZE.size + bytes_:
                        raise Broken("an image of a wrong size")
                    self._receive(one.results, pixels[filled : filled + bytes_], deadline)
                    filled += bytes_
                    sizes.append((width, height))
                elif kind == DONE and length == 0 and len(sizes) == self.config["sets"]:
                    return STATUSES.index("ok"), 0, text, sizes, filled
                elif kind == FAILED and FAILURE.size <= length <= FAILURE.size + MAX_REASON:
                    payload = self._receive_bytes(one.results, length, deadline)
                    status, line = FAILURE.unpack_from(payload)
                    if 1 <= status < len(STATUSES):
                        return status, line, payload[FAILURE.size :], [], 0
                    raise Broken("an unknown status")
                else:
                    raise Broken("an unexpected frame")
        finally:
            self.poll.unregister(one.results)

    def _receive(self, descriptor, view, deadline):
        while view:
            try:
                count = os.readv(descriptor, [view])
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0 or not self.poll.poll(max(1, left * 1000)):
                    raise Late from None
                continue
            if count == 0:
                raise Broken("an end")
            view = view[count:]
            if time.monotonic() > deadline:
                raise Late

    def _receive_bytes(self, descriptor, length, deadline):
        data = bytearray(length)
        self._receive(descriptor, memoryview(data), deadline)
        return bytes(data)

    def _failed(self, status, reason):
        return STATUSES.index(status), 0, reason.encode("utf-8"), [], 0

    def _send(self, number, status, line, text, sizes, filled):
        head = ANSWER.pack(b"CVA1", number, status, line, len(text), len(sizes))
        _write(self.sink, head + b"".join(SIZE.pack(*size) for size in sizes) + text)
        _write(self.sink, memoryview(self.answer)[:filled])

    def _read(self, length):
        data = bytearray(length)
        return bytes(data) if self._read_into(memoryview(data)) else None

    def _read_into(self, view):
        while view:
            count = os.readv(self.source, [view])
            if count == 0:
                return False
            view = view[count:]
        return True


def _cause(status, cpu, seconds):
    """Why a child ended without an answer."""
    if status is None:
        return "crashed", "closed its pipe, or said what no program says"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU or cpu >= seconds:
            return "timeout", f"more than {seconds:g} s of processor time"
        if number == signal.SIGSYS:
            return "forbidden", "made a system call that programs may not make"
        if number == signal.SIGKILL:
            return "memory", "killed by the system, as happens when memory runs out"
        return "crashed", f"ended by signal {number} ({signal.strsignal(number)})"
    return "crashed", "ended without an answer"


def _private(size):
    buffer = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for advice in ("MADV_DONTFORK", "MADV_HUGEPAGE"):
        try:
            buffer.madvise(getattr(mmap, advice))
        except (AttributeError, OSError):
            if advice == "MADV_DONTFORK":
                raise
    return buffer


def main():
    sink = os.dup(1)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    (length,) = struct.unpack("<I", sys.stdin.buffer.raw.read(4))
    config = json.loads(sys.stdin.buffer.raw.read(length))
    if not isolate.filtered():
        raise SystemError("no filter of system calls")
    if os.getuid() == 0:
        raise SystemError("runs as root")
    isolate.steady_heap()
    python, pillow, numpy = load()
    config["filter"] = isolate.Filter(base64.b64decode(config["filter"]))
    server = Server(config, 0, sink, null)
    config["addressSpace"] = isolate.address_space() + HEAP + config["memoryMiB"] * 2**20
    gc.collect()
    gc.freeze()
    hello = json.dumps({"python": python, "pillow": pillow, "numpy": numpy}).encode("ascii")
    _write(sink, struct.pack("<I", len(hello)) + hello)
    server.serve()


main()
