/**
 * Programs a second in the sandbox, each with four rotations of a 640 x 480 picture, hashed and encoded, against the same
 * Pillow work with nothing around it and against a process for each program: `npx tsx bench/sandbox.ts [leak=PROGRAMS]`.
 * By the clock on the wall, since the work is in other processes: give it a quiet machine.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { imageRef, type Image } from '../src/core/image.js';
import { encodePng } from '../src/render/index.js';
import { openSandbox } from '../src/sandbox/index.js';
import { printTable, type Row } from './table.js';

const [WIDTH, HEIGHT] = [640, 480];
const PEER = fileURLToPath(new URL('peers/sandbox.py', import.meta.url));
const PROGRAM = `def edit_image(img, angle):
    return img.rotate(angle, expand=True)

args_list = [{"angle": 15}, {"angle": 90}, {"angle": 180}, {"angle": 200}]
`;

const picture: Image = {
  width: WIDTH,
  height: HEIGHT,
  rgb: Uint8Array.from({ length: 3 * WIDTH * HEIGHT }, (_, i) => {
    const [c, x, y] = [i % 3, Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH)];
    return (x * y + 7 * x + 3 * y + 31 * c) % 251;
  }),
};

/** Programs a second of a peer. */
function peer(mode: 'direct' | 'process', count: number): number {
  return 1 / Number(execFileSync('/usr/bin/python3', [PEER, mode, String(count)], { encoding: 'utf8' }));
}

/** Programs a second of the sandbox. */
async function ours(workers: number, count: number, encode: boolean): Promise<number> {
  const sandbox = await openSandbox({ workers });
  const one = async (): Promise<void> => {
    const result = await sandbox.run(PROGRAM, picture);
    if (result.status !== 'ok') throw new Error(`${result.status}: ${result.reason}`);
    if (!encode) return;
    for (const image of result.images) {
      imageRef(image);
      await encodePng(image);
    }
  };
  try {
    for (let i = 0; i < 4; i++) await one();
    const started = performance.now();
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next++ < count) await one();
    };
    await Promise.all(Array.from({ length: 2 * workers }, lane));
    return (1000 * count) / (performance.now() - started);
  } finally {
    await sandbox.close();
  }
}

async function leak(programs: number): Promise<void> {
  const sandbox = await openSandbox({ workers: 2 });
  const small: Image = { width: 64, height: 64, rgb: new Uint8Array(3 * 64 * 64).map((_, i) => i % 251) };
  const resident = (): number => {
    const all = execFileSync(
      '/bin/sh',
      ['-c', "ps -eo rss=,args= | grep -E 'sandbox/server.py' | grep -v grep"],
      {
        encoding: 'utf8',
      },
    );
    return all.split('\n').reduce((sum, line) => sum + (Number.parseInt(line, 10) || 0), 0) / 1024;
  };
  try {
    for (let done = 0; done <= programs; done += programs / 4) {
      if (done > 0) {
        const lanes = Array.from({ length: 4 }, async () => {
          for (let i = 0; i < programs / 16; i++) await sandbox.run(PROGRAM, small);
        });
        await Promise.all(lanes);
      }
      const node = process.memoryUsage().rss / 2 ** 20;
      console.log(
        `after ${done} programs: this process ${node.toFixed(0)} MiB, interpreters ${resident().toFixed(0)} MiB`,
      );
    }
  } finally {
    await sandbox.close();
  }
}

const option = process.argv.find((argument) => argument.startsWith('leak='));
if (option) await leak(Number(option.slice('leak='.length)));
else {
  const direct = peer('direct', 20);
  const reference = peer('process', 8);
  const rows: Row[] = [
    { what: 'Pillow alone: rotated, hashed, PNG level 1', rate: direct, unit: 'programs' },
    { what: 'a process and a manager for each, PNG as Pillow writes it', rate: reference, unit: 'programs' },
  ];
  for (const [workers, encode] of [
    [1, false],
    [1, true],
    [2, true],
  ] as const) {
    const rate = await ours(workers, 40, encode);
    const what = `sandbox, ${workers} worker${workers > 1 ? 's' : ''}, ${encode ? 'hashed, PNG level 1' : 'pixels only'}`;
    rows.push({ what, rate, unit: 'programs', ratio: { to: 'Pillow alone', value: rate / direct } });
    rows.push({
      what: '  the same',
      rate,
      unit: 'programs',
      ratio: { to: 'a process for each', value: rate / reference },
    });
  }
  printTable(rows);
}
