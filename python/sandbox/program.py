"""One program: checked by Python's own parser, then called once for each of its argument sets.

Runs in the forked child only, behind every limit, since a parser too can be brought down by what it reads. The checks here
are about form, and give good reasons early; what keeps a program from doing harm is the kernel's part.
"""

import ast
import builtins
import copy
import errno
import io
import json
import math
import tokenize

from PIL import Image

FILENAME = "<program>"
MAX_INTEGER = 2**53

# Modules that a program may import, with everything below them.
ALLOWED = frozenset(
    "PIL numpy math cmath colorsys itertools functools operator collections typing dataclasses enum abc "
    "numbers fractions decimal string re textwrap copy heapq bisect array struct io base64 __future__".split()
)
# ... except these: randomness, the screen, and ways to native code.
DENIED = frozenset(
    "numpy.random numpy.ctypeslib numpy.f2py numpy.distutils numpy.testing "
    "PIL.ImageGrab PIL.ImageShow PIL.ImageTk PIL.ImageQt PIL.ImageWin".split()
)
FORBIDDEN_NAMES = frozenset(
    "eval exec compile open input breakpoint globals locals vars exit quit help "
    "random default_rng RandomState".split()
)
RANDOM_NAMES = frozenset("random default_rng RandomState".split())
WITHHELD_BUILTINS = frozenset("eval exec compile open input breakpoint exit quit help".split())


class Refused(Exception):
    """A program that is not run, or whose output is not taken: a status, why, and where."""

    def __init__(self, status, reason, line=0):
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.line = line


class Checked:
    """A program of the right form: its code before `args_list`, compiled too, and its argument sets as written."""

    def __init__(self, code, compiled, arguments, shown):
        self.code = code
        self.compiled = compiled
        self.arguments = arguments
        self.shown = shown


def check(source, characters, sets):
    """The static checks: form, length, comments, imports, `args_list`."""
    if len(source) > characters:
        raise Refused("malformed", f"{len(source):,} characters, more than {characters:,}")
    try:
        tree = ast.parse(source, FILENAME)
        _no_comments(source)
        _permitted(tree)
        statement, value = _args_list(tree)
        _one_edit_image(tree)
        arguments, shown = _arguments(statement, value, sets)
        code = _before(source, statement)
        tree.body.remove(statement)
        # Without args_list: what edit_image does depends on nothing that a question doesn't show.
        compiled = builtins.compile(tree, FILENAME, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Refused("malformed", f"no Python: {error.msg}", error.lineno or 0) from None
    except (RecursionError, MemoryError):
        raise Refused("malformed", "nested too deeply") from None
    except ValueError as error:
        raise Refused("malformed", f"no Python: {error}") from None
    return Checked(code, compiled, arguments, shown)


def _no_comments(source):
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                raise Refused("malformed", "has a comment", token.start[0])
    except tokenize.TokenError as error:
        raise Refused("malformed", f"no Python: {error.args[0]}") from None


def _permitted(tree):
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Import):
            for alias in node.names:
                _permitted_import(alias.name, line)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise Refused("forbidden", "a relative import", line)
            for alias in node.names:
                _permitted_import(node.module, line)
                _permitted_import(f"{node.module}.{alias.name}", line)
        elif isinstance(node, ast.Name):
            _permitted_name(node.id, line, node.id in FORBIDDEN_NAMES)
        elif isinstance(node, ast.Attribute):
            _permitted_name(node.attr, line, node.attr in RANDOM_NAMES)


def _permitted_import(name, line):
    if name.split(".")[0] == "random" or name.startswith("numpy.random"):
        raise Refused("forbidden", "random: a program must do the same each time", line)
    if not importable(name):
        raise Refused("forbidden", f"import of {name}", line)


def _permitted_name(name, line, forbidden):
    if name in RANDOM_NAMES:
        raise Refused("forbidden", f"{name}: a program must do the same each time", line)
    if forbidden or (name.startswith("__") and name.endswith("__")):
        raise Refused("forbidden", f"use of {name}", line)


def importable(name):
    """Whether a program may import the module of this full name."""
    if name.split(".")[0] not in ALLOWED:
        return False
    return not any(name == denied or name.startswith(f"{denied}.") for denied in DENIED)


def _one_edit_image(tree):
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "edit_image"]
    if not found:
        raise Refused("malformed", "has no function edit_image")
    binds = 0
    line = found[-1].lineno
    for node in ast.walk(tree):
        name = None
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = node.name
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            name = node.id
        elif isinstance(node, ast.alias):
            name = node.asname or node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        if name == "edit_image":
            binds += 1
    if binds != 1:
        raise Refused("malformed", "binds edit_image more than once", line)


def _args_list(tree):
    found = []
    for node in tree.body:
        targets = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        if any(isinstance(t, ast.Name) and t.id == "args_list" for t in targets):
            found.append((node, node.value, len(targets)))
    if not found:
        raise Refused("malformed", "has no args_list")
    node, value, targets = found[-1]
    if len(found) > 1 or targets > 1:
        raise Refused("malformed", "assigns args_list more than once", node.lineno)
    if node is not tree.body[-1]:
        raise Refused("malformed", "something stands after args_list", node.end_lineno)
    return node, value


def _arguments(statement, value, sets):
    line = statement.lineno
    try:
        arguments = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError):
        raise Refused("malformed", "args_list is no literal", line) from None
    if not isinstance(arguments, (list, tuple)):
        raise Refused("malformed", "args_list is no list", line)
    if len(arguments) != sets:
        raise Refused("malformed", f"args_list has {len(arguments)} argument sets, not {sets}", line)
    shown = []
    for i, entry in enumerate(arguments):
        if not isinstance(entry, dict):
            raise Refused("malformed", f"argument set {i} is no dictionary", line)
        plain = _plain(entry, line)
        # Python's equality, tuples as lists: 1, 1.0 and True are one argument.
        if plain in shown:
            raise Refused("malformed", f"argument sets {shown.index(plain)} and {i} are equal", line)
        shown.append(plain)
    return arguments, shown


def _plain(value, line):
    """A literal as JSON has it; refuses what JSON can't hold exactly."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if any(0xD800 <= ord(c) <= 0xDFFF for c in value):
            raise Refused("malformed", "args_list holds half a character", line)
        return value
    if isinstance(value, int) and abs(value) <= MAX_INTEGER:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(v, line) for v in value]
    if isinstance(value, dict):
        if not all(isinstance(k, str) for k in value):
            raise Refused("malformed", "args_list has a key that is no string", line)
        return {_plain(k, line): _plain(v, line) for k, v in value.items()}
    raise Refused("malformed", f"args_list holds a value that is no JSON ({type(value).__name__})", line)


def _before(source, statement):
    # Offsets of the tree count bytes of UTF-8, its lines end with \n, \r or \r\n.
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    head = lines[: statement.lineno - 1]
    last = lines[statement.lineno - 1].encode("utf-8")[: statement.col_offset].decode("utf-8")
    return "\n".join([*head, last]).rstrip()


def describe(checked):
    """What a program is, as JSON text in ASCII."""
    return json.dumps({"code": checked.code, "args": checked.shown}, allow_nan=False)


def outputs(checked, image, min_pixels, max_pixels):
    """The edited images, RGB, one at a time. Each call gets a fresh copy of everything, so that none can see another."""
    for arguments in checked.arguments:
        namespace = {"__builtins__": _builtins(), "__name__": "program"}
        exec(checked.compiled, namespace)
        edited = namespace["edit_image"](image.copy(), **copy.deepcopy(arguments))
        yield _image(edited, min_pixels, max_pixels)


def _image(edited, min_pixels, max_pixels):
    if not isinstance(edited, Image.Image):
        raise Refused("bad-output", f"edit_image returned {type(edited).__name__}, no image")
    width, height = edited.size
    if not min_pixels <= width * height <= max_pixels:
        raise Refused(
            "bad-output",
            f"an image of {width} x {height}, not of {min_pixels:,} to {max_pixels:,} pixels",
        )
    edited.load()
    if edited.mode in ("RGBA", "LA", "PA") or "transparency" in edited.info:
        # As pictures are read everywhere here: transparency is laid on white.
        edited = edited.convert("RGBA")
        ground = Image.new("RGBA", edited.size, "white")
        edited = Image.alpha_composite(ground, edited)
    return edited if edited.mode == "RGB" else edited.convert("RGB")


def _builtins():
    allowed = {k: v for k, v in vars(builtins).items() if k not in WITHHELD_BUILTINS}
    allowed["__import__"] = _import
    return allowed


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    names = [name, *(f"{name}.{item}" for item in fromlist or ())]
    for full in names:
        if level or not importable(full):
            raise ImportError(f"import of {full} is forbidden")
    return builtins.__import__(name, globals, locals, fromlist, level)


def failure(error):
    """Status, reason and line of whatever a program raised."""
    if isinstance(error, Refused):
        return error.status, error.reason, error.line
    line = 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILENAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, MemoryError):
        return "memory", "more memory than it may have", line
    if isinstance(error, OSError) and error.errno in (errno.EPERM, errno.EACCES, errno.ENOSYS):
        return "forbidden", f"asked the system for what programs may not have ({_text(error)})", line
    if isinstance(error, ImportError) and "is forbidden" in _text(error):
        return "forbidden", _text(error), line
    return "exception", f"{type(error).__name__}: {_text(error)}", line


def _text(error):
    try:
        return str(error)[:300]
    except BaseException:  # noqa: B902 - a program's own exception may do anything when it is asked for its text
        return "(no text)"
