import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, freemem, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { loadConfig, resolveFile } from '../../config/index.js';
import { loadJax } from '../../engines/micro/jax.js';
import { MicroPolicy } from '../../engines/micro/index.js';
import { decodeImage, encodePng } from '../../render/index.js';
import { RunReader, RunStore } from '../../runs/index.js';
import { checkIsolation } from '../../sandbox/index.js';
import { print, type Context } from '../context.js';

/** One thing that Covolve needs: whether it is there, and what to do when it isn't. */
interface Finding {
  readonly ok: boolean;
  readonly what: string;
  readonly detail: string;
  readonly remedy?: string;
  /** Whether most presets do without it. */
  readonly optional?: boolean;
}

/** `covolve doctor`: what this machine can do. Gives the exit code, 1 when something needed is missing. */
export async function doctor(context: Context): Promise<number> {
  const findings = [
    node(),
    memory(),
    disk(context.directory),
    await attempt('array library', 'run npm ci again', arrays),
    await attempt('pictures (sharp)', 'run npm ci again; see sharp.pixelplumbing.com/install', pictures),
    await attempt('run store (SQLite)', 'run npm ci again', store),
    ...(await checkpoints()),
    await programs(),
  ];
  for (const { ok, what, detail, remedy } of findings) {
    print(
      context,
      `${ok ? 'yes' : 'no '}  ${what}: ${detail}${ok || remedy === undefined ? '' : `; ${remedy}`}`,
    );
  }
  const bad = findings.filter(({ ok, optional }) => !ok && optional !== true).length;
  print(context, bad === 0 ? 'ready' : `${bad} of ${findings.length} need attention`);
  return bad === 0 ? 0 : 1;
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return {
    ok: major > 20 || (major === 20 && minor >= 9),
    what: 'Node',
    detail: `${process.versions.node}, ${availableParallelism()} cores`,
    remedy: 'install Node 20.9 or later',
  };
}

function memory(): Finding {
  const gib = (bytes: number): string => (bytes / 2 ** 30).toFixed(1);
  return {
    ok: freemem() > 2 ** 30,
    what: 'memory',
    detail: `${gib(freemem())} of ${gib(totalmem())} GiB free`,
    remedy: 'the micro preset needs about 1 GiB',
  };
}

function disk(directory: string): Finding {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  return {
    ok: free > 2 ** 30,
    what: 'disk',
    detail: `${(free / 2 ** 30).toFixed(1)} GiB free where you stand`,
    remedy: 'a run takes up to 1 GiB; free some, or put runs elsewhere with --dir',
  };
}

async function attempt(what: string, remedy: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { ok: true, what, detail: await work() };
  } catch (cause) {
    const problem = cause instanceof Error ? (cause.message.split('\n')[0] as string) : String(cause);
    return { ok: false, what, detail: problem, remedy };
  }
}

async function arrays(): Promise<string> {
  const { numpy: np } = await loadJax();
  const a = np.array(Float32Array.of(1, 2, 3, 4), { shape: [2, 2] });
  const product = (await np.matmul(a.ref, a).data()) as Float32Array;
  if ([...product].join() !== '7,10,15,22')
    throw new Error(`a 2 x 2 product came out as ${[...product].join()}`);
  return 'multiplies on WebAssembly';
}

async function pictures(): Promise<string> {
  const image = { width: 32, height: 32, rgb: Uint8Array.from({ length: 3 * 32 * 32 }, (_, i) => i % 251) };
  const { rgb } = await decodeImage(await encodePng(image));
  if (!Buffer.from(rgb).equals(Buffer.from(image.rgb))) throw new Error('a picture came back changed');
  return 'writes and reads PNG';
}

async function store(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'covolve-doctor-'));
  try {
    const directory = path.join(folder, 'run');
    const made = await RunStore.create(directory, { config: {}, seed: 0, preset: 'doctor', version: '0' });
    await made.recordMetrics({ round: 0, role: 'doctor', step: 0 }, { one: 1 });
    await made.close();
    const reader = RunReader.open(directory);
    const value = reader.metrics('one')[0]?.value;
    reader.close();
    if (value !== 1) throw new Error(`1 came back as ${value}`);
    return 'writes and reads';
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The sandbox of model-written programs. */
async function programs(): Promise<Finding> {
  const what = 'isolation of programs (transforms)';
  const isolation = await checkIsolation();
  if (!isolation.ok) return { ok: false, what, detail: isolation.error.detail, optional: true };
  const { python, pillow, numpy } = isolation.value.versions;
  return { ok: true, what, detail: `bubblewrap, Python ${python}, Pillow ${pillow}, NumPy ${numpy}` };
}

/** The base checkpoints of the micro preset. */
async function checkpoints(): Promise<Finding[]> {
  const config = loadConfig('vico-clevr-micro', [], '.');
  const micro = config.sections['micro'] as Record<'actor' | 'rewriter', { readonly checkpoint: string }>;
  return Promise.all(
    (['actor', 'rewriter'] as const).map((role) => {
      const name = micro[role].checkpoint;
      return attempt(
        `base checkpoint of the ${role}`,
        `make it with scripts/clevr-base-${role}.ts`,
        async () => {
          const file = resolveFile(name);
          if (!existsSync(file)) throw new Error(`${name} is missing`);
          const bytes = readFileSync(file);
          const policy = await MicroPolicy.open(bytes, name, { name: role, freezeVision: true });
          policy.dispose();
          return `${name}, ${(bytes.length / 2 ** 20).toFixed(1)} MiB`;
        },
      );
    }),
  );
}
