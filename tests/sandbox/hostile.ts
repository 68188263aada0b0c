/**
 * Programs that mean harm. Most reach past the static checks on purpose (`Image.os` is the module os, by way of Pillow), so
 * that what holds them is the kernel.
 */
import type { ProgramStatus } from '../../src/sandbox/index.js';
import { ARGS, withBody } from './fixtures.js';

export interface Hostile {
  readonly what: string;
  readonly program: string;
  /** What may come of it. */
  readonly ends: readonly ProgramStatus[];
}

const DEF = 'from PIL import Image\ndef edit_image(img, a):\n';
const forbidden = ['forbidden'] as const;
const body = (what: string, code: string, ...ends: ProgramStatus[]): Hostile => ({
  what,
  program: withBody(code),
  ends: ends.length > 0 ? ends : forbidden,
});

/** Any module by name, past the static checks. */
const MODULE = (name: string): string => `Image.sys.modules['${name}']`;
/** Python's own import, past the static checks. */
const IMPORT = (name: string): string => `${MODULE('importlib')}.import_module('${name}')`;

const FILES: readonly Hostile[] = [
  body('reads /etc/passwd', "Image.open('/etc/passwd')"),
  body('reads /etc/shadow by descriptor', "Image.os.open('/etc/shadow', 0)"),
  body('lists the root', "Image.os.listdir('/')"),
  body('lists its own source', "Image.os.scandir('/sandbox')"),
  body('writes to /tmp', "img.save('/tmp/x.png')"),
  body('writes to /usr', "Image.os.open('/usr/x', 65)"),
  body('removes through os.__dict__ by name', "vars_ = Image.os\nvars_.unlink('/usr/bin/python3')"),
  body('makes a directory', "Image.os.mkdir('/tmp/d')"),
  body('makes a device', "Image.os.mknod('/tmp/d', 0o600 | 0o20000, 261)"),
  body('makes a link out', "Image.os.symlink('/', '/tmp/root')"),
  body('changes a mode', "Image.os.chmod('/usr/bin/python3', 0o777)"),
  body('changes its root', "Image.os.chroot('/tmp')"),
  body('walks out with chdir', "Image.os.chdir('/..')"),
  body('renames', "Image.os.rename('/usr', '/usr2')"),
  body('reads a font file of the host', "Image.builtins.open('/etc/ld.so.cache', 'rb')"),
  body('shows a picture', 'img.show()', 'forbidden', 'exception'),
  body('mounts', `${MODULE('ctypes')}.CDLL(None).mount(0, 0, 0, 0, 0)`),
];

const PROC: readonly Hostile[] = [
  body('reads /proc/1/environ', "Image.builtins.open('/proc/1/environ').read()"),
  body('writes /proc/self/mem', "Image.os.open('/proc/self/mem', 2)"),
  body('reads /proc/self/maps', "Image.builtins.open('/proc/self/maps').read()"),
  body('reads the environment', 'assert not [k for k in Image.os.environ if "PATH" in k.upper()]', 'ok'),
  body(
    'looks for secrets in the environment',
    'raise KeyError(",".join(sorted(Image.os.environ)))',
    'exception',
  ),
  body('reads /sys', "Image.os.listdir('/sys')"),
  body('reads /dev/mem', "Image.os.open('/dev/mem', 0)"),
];

const PROCESSES: readonly Hostile[] = [
  body('runs a shell', "Image.os.system('id')"),
  body('executes', "Image.os.execv('/usr/bin/id', ['id'])"),
  body('spawns', "Image.os.posix_spawn('/usr/bin/id', ['id'], {})"),
  body('opens a pipe to a command', "Image.os.popen('id')", 'forbidden', 'exception'),
  body('forks', 'Image.os.fork()'),
  body('fork bomb', 'while True:\n    Image.os.fork()'),
  body(
    'fork bomb that swallows',
    'while True:\n    try:\n        Image.os.fork()\n    except BaseException:\n        pass',
  ),
  body(
    'thread bomb',
    `t = ${MODULE('_thread')}\nwhile True:\n    t.start_new_thread(print, ())`,
    'forbidden',
    'exception',
  ),
  body('leaves the session', 'Image.os.setsid()'),
  body('becomes root', 'Image.os.setuid(0)'),
  body('makes a namespace', `${MODULE('ctypes')}.CDLL(None).unshare(0x10000000)`),
  body('joins a namespace', `${MODULE('ctypes')}.CDLL(None).setns(3, 0)`),
];

const NETWORK: readonly Hostile[] = [
  body('opens a socket', `s = ${IMPORT('_socket')}\ns.socket()`, 'forbidden', 'exception'),
  body('socket by ctypes', `${MODULE('ctypes')}.CDLL(None).socket(2, 1, 0)`),
  body('netlink by ctypes', `${MODULE('ctypes')}.CDLL(None).socket(16, 3, 0)`),
  body('socket pair', `${MODULE('ctypes')}.CDLL(None).socketpair(1, 1, 0, None)`),
  { what: 'imports urllib', program: `import urllib.request\n${withBody('pass')}`, ends: forbidden },
  { what: 'imports socket inside', program: withBody('import socket'), ends: forbidden },
];

const NATIVE: readonly Hostile[] = [
  body('reads address 0', `${MODULE('ctypes')}.string_at(0)`, 'crashed'),
  body(
    'writes over the interpreter',
    `${MODULE('ctypes')}.memset(id(img), 255, 4096)`,
    'crashed',
    'exception',
    'bad-output',
  ),
  body('aborts', 'Image.os.abort()', 'forbidden', 'crashed'),
  body('traces its parent', `${MODULE('ctypes')}.CDLL(None).ptrace(16, Image.os.getppid(), 0, 0)`),
  body(
    'reads the memory of its parent',
    `${MODULE('ctypes')}.CDLL(None).process_vm_readv(1, None, 0, None, 0, 0)`,
  ),
  body('maps executable memory', `${MODULE('mmap')}.mmap(-1, 4096, prot=7)`),
  body('makes memory executable', `${MODULE('ctypes')}.CDLL(None).mprotect(0, 4096, 7)`),
  body('raw system call: execve', `${MODULE('ctypes')}.CDLL(None).syscall(59, 0, 0, 0)`),
  body('raw system call: bpf', `${MODULE('ctypes')}.CDLL(None).syscall(321, 0, 0, 0)`),
  body('raw system call: io_uring_setup', `${MODULE('ctypes')}.CDLL(None).syscall(425, 1, 0)`),
  body('raw system call: x32', `${MODULE('ctypes')}.CDLL(None).syscall(0x40000000 + 39)`),
  body(
    'takes its filter off',
    `assert ${MODULE('ctypes')}.CDLL(None).prctl(22, 0, 0, 0, 0) == 0`,
    'exception',
  ),
  body('raises its limits', `${MODULE('resource')}.setrlimit(9, (-1, -1))`, 'forbidden', 'exception'),
];

const RESOURCES: readonly Hostile[] = [
  body('endless loop', 'while True:\n    pass', 'timeout'),
  body('endless loop in C', 'sum(iter(int, 1))', 'timeout'),
  body('sleeps', `${MODULE('time')}.sleep(60)`, 'timeout'),
  body(
    'catches everything, for ever',
    'while True:\n    try:\n        1 / 0\n    except BaseException:\n        pass',
    'timeout',
  ),
  body('catastrophic pattern', 'import re\nre.match("(a+)+$", "a" * 64 + "b")', 'timeout'),
  body('huge power', '9 ** 9 ** 9', 'timeout', 'memory'),
  body('memory at once', 'x = bytearray(3 << 30)', 'memory'),
  body('memory bit by bit', 'x = []\nwhile True:\n    x.append(bytearray(1 << 22))', 'memory'),
  body(
    'memory, swallowing',
    'x = []\nwhile True:\n    try:\n        x.append(bytearray(1 << 26))\n    except MemoryError:\n        pass',
    'timeout',
    'memory',
    'crashed',
  ),
  body('NumPy memory', 'import numpy as np\nnp.ones((1 << 16, 1 << 16))', 'memory'),
  body('anonymous memory by mmap', `m = ${MODULE('mmap')}.mmap(-1, 3 << 30)`, 'exception', 'memory'),
  body('decompression bomb', 'import io\nimport zlib', 'forbidden'),
  body(
    'decompression bomb, PNG',
    "import io\nb = io.BytesIO()\nImage.new('1', (40000, 40000)).save(b, 'PNG')\nb.seek(0)\nImage.MAX_IMAGE_PIXELS = None\nImage.open(b).convert('RGBA').resize((50000, 50000))",
    ...(['memory', 'timeout', 'exception'] as const),
  ),
  body('a huge picture', "Image.new('RGB', (100000, 100000))", 'memory'),
  body('a huge output', "return Image.new('RGB', (4000, 4000))", 'bad-output'),
  body('a tiny output', "return Image.new('RGB', (1, 1))", 'bad-output'),
  body('a long text', "raise ValueError('x' * 10 ** 8)", 'exception', 'memory'),
  body('deep recursion', 'f = lambda n: f(n + 1)\nf(0)', 'exception'),
  body(
    'deep recursion without its limit',
    'Image.sys.setrecursionlimit(10 ** 9)\nclass A:\n    def __repr__(self):\n        return repr(self)\nrepr(A())',
    ...(['crashed', 'timeout', 'memory', 'exception'] as const),
  ),
  {
    what: 'deep nesting',
    program: `${DEF}    return ${'('.repeat(800)}img${')'.repeat(800)}\n${ARGS}`,
    ends: ['malformed'],
  },
  {
    what: 'deep nesting of unary operators',
    program: `${DEF}    return ${'-'.repeat(1700)}1\n${ARGS}`,
    ends: ['malformed', 'exception', 'crashed'],
  },
  {
    what: 'deep nesting in args_list',
    program: `${DEF}    return img\nargs_list = ${'['.repeat(900)}${']'.repeat(900)}\n`,
    ends: ['malformed'],
  },
  {
    what: 'args_list that computes',
    program: `${DEF}    return img\nargs_list = [{'a': 9 ** 9 ** 9}] * 4\n`,
    ends: ['malformed'],
  },
];

const SIGNALS: readonly Hostile[] = [
  body('kills its parent', 'Image.os.kill(Image.os.getppid(), 9)'),
  body('stops its parent', 'Image.os.kill(Image.os.getppid(), 19)'),
  body('kills everybody', 'Image.os.kill(-1, 9)'),
  body(
    'ignores every signal',
    `s = ${MODULE('signal')}\nfor n in (1, 2, 3, 13, 14, 15, 24):\n    s.signal(n, s.SIG_IGN)\nwhile True:\n    pass`,
    'timeout',
  ),
  body('alarms', `${MODULE('signal')}.alarm(1)`),
  body('stops itself', 'Image.os.kill(Image.os.getpid(), 19)'),
  body(
    'blocks signals and spins',
    `s = ${MODULE('signal')}\ns.pthread_sigmask(0, range(1, 32))\nwhile True:\n    pass`,
    'timeout',
  ),
];

const PIPES: readonly Hostile[] = [
  body('writes to stdout', 'print("CVA1" * 10000)', 'ok'),
  body('writes to descriptor 1', 'Image.os.write(1, b"CVA1" * 1000)', 'ok'),
  body('closes our pipe', 'Image.os.closerange(3, 256)', 'exception', 'crashed'),
  body(
    'closes our pipe and spins',
    'Image.os.closerange(0, 256)\nwhile True:\n    pass',
    'crashed',
    'timeout',
  ),
  body(
    'writes nonsense into our pipe',
    'for f in range(3, 20):\n    try:\n        Image.os.write(f, b"\\xff" * 65536)\n    except OSError:\n        pass',
    'crashed',
  ),
  body(
    'claims a frame of 4 GiB',
    'for f in range(3, 20):\n    try:\n        Image.os.write(f, b"\\x02\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff")\n    except OSError:\n        pass\nwhile True:\n    pass',
    'crashed',
  ),
  body(
    'claims an unknown failure',
    'for f in range(3, 20):\n    try:\n        Image.os.write(f, b"\\x04\\x05\\x00\\x00\\x00\\xc8\\x00\\x00\\x00\\x00")\n    except OSError:\n        pass',
    'crashed',
  ),
  body(
    'half an answer, then silence',
    'for f in range(3, 20):\n    try:\n        Image.os.write(f, b"\\x02")\n    except OSError:\n        pass\nwhile True:\n    pass',
    'timeout',
  ),
  body('leaves without a word', 'Image.os._exit(0)', 'crashed'),
  body('raises SystemExit', 'raise SystemExit(0)', 'exception'),
  body('raises KeyboardInterrupt', 'raise KeyboardInterrupt', 'exception'),
  body(
    'an exception with a text of its own',
    'class E(Exception):\n    def __str__(self):\n        raise E()\nraise E()',
    'exception',
  ),
  body(
    'an exception that spins when printed',
    'class E(Exception):\n    def __str__(self):\n        while True:\n            pass\nraise E()',
    'timeout',
  ),
  body('control characters in a reason', 'raise ValueError("\\x1b[2J\\r\\nok")', 'exception'),
  body(
    'an image that lies about its size',
    'class L(Image.Image):\n    size = property(lambda s: (100, 100))\nreturn L()',
    'exception',
    'bad-output',
    'crashed',
  ),
];

const LATER: readonly Hostile[] = [
  body(
    'patches Pillow for a later program',
    'Image.fromarray = lambda *x: Image.new("RGB", (100, 100))\nImage.Image.copy = lambda s: s',
    'ok',
  ),
  body(
    'patches NumPy for a later program',
    'import numpy as np\nnp.roll = lambda x, *y, **z: x * 0\nnp.asarray = None',
    'ok',
  ),
  body(
    'patches the builtins',
    'Image.builtins.len = lambda x: 0',
    'ok',
    'exception',
    'crashed',
    'bad-output',
  ),
  body(
    'patches the protocol',
    `m = ${MODULE('__main__')}\nm.os.write = lambda *x: 10 ** 9`,
    'ok',
    'crashed',
    'timeout',
    'exception',
  ),
  body('patches the checks', `${MODULE('program')}.check = None`, 'ok'),
  body(
    'registers an exit handler',
    `${IMPORT('atexit')}.register(Image.os.abort)`,
    'ok',
    'exception',
    'forbidden',
  ),
  body('random numbers', 'import numpy as np\nnp.random.seed(0)'),
  body('random numbers, hidden', 'import numpy as np\ngetattr(np, "ran" + "dom").rand(3)'),
  body('random numbers of the system', 'Image.os.urandom(8)'),
  { what: 'eval', program: withBody('eval("1")'), ends: forbidden },
  {
    what: 'the classes of everything',
    program: withBody('().__class__.__base__.__subclasses__()'),
    ends: forbidden,
  },
  { what: 'a hidden import', program: withBody("__import__('os').system('id')"), ends: forbidden },
];

/** All of them. */
export const HOSTILE: readonly Hostile[] = [
  ...FILES,
  ...PROC,
  ...PROCESSES,
  ...NETWORK,
  ...NATIVE,
  ...RESOURCES,
  ...SIGNALS,
  ...PIPES,
  ...LATER,
];
