import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Image } from '../../core/image.js';

/**
 * The program of the process that draws, kept as text so that it starts alike from sources and from a build. Requests: width,
 * height, density, length of the markup (32-bit little-endian each), markup. Answers: 0, width, height, length, RGB bytes; or 1,
 * 0, 0, length, message. One at a time.
 */
const PROGRAM = `
const sharp = require(process.argv[1]);
sharp.cache(false);
sharp.concurrency(1);
let pending = Buffer.alloc(0);
let drawing = false;
const answer = (status, width, height, bytes) => {
  const head = Buffer.alloc(16);
  [status, width, height, bytes.length].forEach((value, i) => head.writeUInt32LE(value, 4 * i));
  process.stdout.write(Buffer.concat([head, bytes]));
};
const next = async () => {
  if (drawing || pending.length < 16) return;
  const [width, height, density, length] = [0, 4, 8, 12].map((at) => pending.readUInt32LE(at));
  if (pending.length < 16 + length) return;
  const markup = pending.subarray(16, 16 + length);
  pending = pending.subarray(16 + length);
  drawing = true;
  try {
    const { data, info } = await sharp(markup, { density: density / 1000, limitInputPixels: 64e6 })
      .resize(width, height, { fit: 'fill' })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    let rgb = data;
    if (info.channels !== 3) {
      rgb = Buffer.alloc(3 * info.width * info.height);
      for (let i = 0; i < info.width * info.height; i++) rgb.fill(data[i * info.channels], 3 * i, 3 * i + 3);
    }
    answer(0, info.width, info.height, rgb);
  } catch (error) {
    answer(1, 0, 0, Buffer.from(String(error && error.message).slice(0, 500)));
  }
  drawing = false;
  next();
};
process.stdin.on('data', (chunk) => { pending = Buffer.concat([pending, chunk]); next(); });
process.stdin.on('end', () => process.exit(0));
`;

const HEAD = 16;

/** What came of one request. */
export type Drawn =
  | { readonly kind: 'image'; readonly image: Image }
  /** The renderer could make nothing of it. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'timeout' }
  /** The process ended. */
  | { readonly kind: 'ended'; readonly message: string };

export interface DrawRequest {
  readonly markup: string;
  /** Of the picture, pixels. */
  readonly width: number;
  readonly height: number;
  /** Dots per inch at which the drawing's own size is the picture's: 72 draws it as large as it says. */
  readonly density: number;
  readonly milliseconds: number;
}

/**
 * A process that draws one markup after another, with nothing in its environment but the font configuration. Owns the
 * process; after a time-out or an end it is dead and must be replaced.
 */
export class DrawingProcess {
  readonly #process: ChildProcess;
  #received: Buffer[] = [];
  #size = 0;
  #settle: ((drawn: Drawn) => void) | null = null;
  #dead: string | null = null;
  readonly ended: Promise<void>;

  constructor(fontConfiguration: string) {
    const library = createRequire(import.meta.url).resolve('sharp');
    const child = spawn(process.execPath, ['-e', PROGRAM, library], {
      cwd: '/',
      env: { FONTCONFIG_FILE: fontConfiguration },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#process = child;
    this.ended = new Promise((resolve) => {
      const end = (why: string): void => {
        this.#dead ??= why;
        this.#finish({ kind: 'ended', message: this.#dead });
        resolve();
      };
      child.once('error', (error) => end(error.message));
      child.once('close', (code, signal) =>
        end(`the drawing process ended (${signal ?? `exit code ${String(code)}`})`),
      );
    });
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => {
      this.#received.push(chunk);
      this.#size += chunk.length;
      this.#read();
    });
  }

  get alive(): boolean {
    return this.#dead === null;
  }

  /** Draws; never rejects. One at a time. */
  draw({ markup, width, height, density, milliseconds }: DrawRequest): Promise<Drawn> {
    if (this.#settle) throw new Error('a drawing process draws one picture at a time');
    if (this.#dead !== null) return Promise.resolve({ kind: 'ended', message: this.#dead });
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#finish({ kind: 'timeout' });
        this.kill();
      }, milliseconds);
      this.#settle = (drawn) => {
        clearTimeout(timer);
        resolve(drawn);
      };
      const body = Buffer.from(markup, 'utf8');
      const head = Buffer.alloc(HEAD);
      [width, height, Math.round(density * 1000), body.length].forEach((value, i) =>
        head.writeUInt32LE(value, 4 * i),
      );
      this.#process.stdin?.write(Buffer.concat([head, body]));
    });
  }

  kill(): void {
    this.#dead ??= 'the drawing process was stopped';
    this.#process.kill('SIGKILL');
  }

  #finish(drawn: Drawn): void {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(drawn);
  }

  #read(): void {
    if (this.#size < HEAD) return;
    const all = this.#received.length === 1 ? (this.#received[0] as Buffer) : Buffer.concat(this.#received);
    this.#received = [all];
    const [status, width, height, length] = [0, 4, 8, 12].map((at) => all.readUInt32LE(at)) as [
      number,
      number,
      number,
      number,
    ];
    if (all.length < HEAD + length) return;
    this.#received = [];
    this.#size = 0;
    const body = all.subarray(HEAD, HEAD + length);
    if (status !== 0) return this.#finish({ kind: 'refused', message: body.toString('utf8') });
    if (length !== 3 * width * height || all.length !== HEAD + length) {
      this.#finish({ kind: 'ended', message: 'the drawing process answered nonsense' });
      return this.kill();
    }
    this.#finish({ kind: 'image', image: { width, height, rgb: new Uint8Array(body) } });
  }
}
