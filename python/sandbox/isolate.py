"""What a forked child does to itself before it reads a program: closes, limits and filters. There is no way back."""

import ctypes
import math
import mmap
import os
import resource
import signal

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_GET_SECCOMP = 21
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
M_TRIM_THRESHOLD = -1
M_TOP_PAD = -2
M_MMAP_THRESHOLD = -3
MIB = 2**20

_libc = ctypes.CDLL(None, use_errno=True)
_libc.malloc.restype = ctypes.c_void_p
_libc.malloc.argtypes = [ctypes.c_size_t]
_libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
_libc.free.argtypes = [ctypes.c_void_p]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


class Filter:
    """A BPF program, ready to be installed."""

    def __init__(self, code):
        self._code = ctypes.create_string_buffer(code, len(code))
        self.program = _Program(len(code) // 8, ctypes.cast(self._code, ctypes.c_void_p))


def _prctl(option, *arguments):
    padded = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    padded += [ctypes.c_ulong(0)] * (4 - len(padded))
    result = _libc.prctl(ctypes.c_int(option), *padded)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")
    return result


def filtered():
    """Whether this process lives under a filter of system calls."""
    return _prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER


def steady_heap():
    """Keeps freed memory, so that what was touched once is not faulted in again. Inherited by children."""
    _libc.mallopt(M_MMAP_THRESHOLD, 32 * MIB)
    _libc.mallopt(M_TRIM_THRESHOLD, 2**30)
    _libc.mallopt(M_TOP_PAD, 4 * MIB)


def warm_heap(size):
    """Faults `size` bytes of heap in and gives them back to the allocator."""
    block = _libc.malloc(size)
    if block:
        _libc.memset(block, 0, size)
        _libc.free(block)


def address_space():
    """Bytes of address space in use, found by bisection: /proc, which would tell, is not there."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    low, high = 0, 2**40
    page = mmap.PAGESIZE
    while high - low > page:
        middle = (low + high) // 2
        resource.setrlimit(resource.RLIMIT_AS, (middle, hard))
        try:
            mmap.mmap(-1, page).close()
            high = middle
        except (OSError, MemoryError):
            low = middle
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    return high


def descriptors(keep, null):
    """Leaves /dev/null as the three standard streams, and the descriptors of `keep`."""
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    low = 3
    for descriptor in sorted(keep):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, 256)


def confine(seconds, memory, code):
    """Limits and the filter. `memory` is in bytes of address space, everything that is mapped already included."""
    _prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    _prctl(PR_SET_DUMPABLE, 0)
    cpu = math.ceil(seconds) + 1
    for limit, soft, hard in (
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_NPROC, 0, 0),
        (resource.RLIMIT_NOFILE, 16, 16),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_MEMLOCK, 0, 0),
        (resource.RLIMIT_STACK, 8 * MIB, 8 * MIB),
    ):
        resource.setrlimit(limit, (soft, hard))
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    _prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(code.program))
    try:
        os.stat("/")
    except PermissionError:
        return
    raise SystemError("the filter of system calls does not hold")
