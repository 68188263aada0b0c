import { Buffer } from 'node:buffer';
import type { Image } from '../core/image.js';
import type { Prompt } from '../core/prompt.js';
import type { Task } from '../core/task.js';
import { encodePng } from '../render/index.js';
import type { RunReader } from '../runs/index.js';

/** Which tasks of a run to export. */
export interface ExportFilter {
  /** `trained`: what the solver was trained on; `held-out`: what it was judged on. */
  readonly tasks: 'trained' | 'held-out';
  /** Bounds of the pass rate, both included; tasks that were never measured are left out when either is given. */
  readonly minPassRate?: number;
  readonly maxPassRate?: number;
  /** Rounds in which tasks were made, both included; 0 holds the seeds. */
  readonly rounds?: readonly [number, number];
  readonly environment?: string;
}

/** A task as other trainers are given it. */
export interface ExportRecord {
  readonly task: Task;
  readonly round: number;
  /** Share of right rollouts over all its groups; null when it was never measured. */
  readonly passRate: number | null;
  /** How many rollouts that is of. */
  readonly rollouts: number;
  /** Messages in which every picture is one `<image>`. */
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>;
  /** Pictures in the order of their marks, by the hash of the task's own. */
  readonly images: ReadonlyArray<{ readonly hash: string; readonly png: Uint8Array }>;
}

/** Why a task isn't exported. */
export const EXPORT_REFUSALS = ['stray-image-mark', 'too-small', 'missing-image'] as const;

export type ExportRefusal = (typeof EXPORT_REFUSALS)[number];

export interface Collected {
  readonly records: readonly ExportRecord[];
  readonly refused: Readonly<Record<ExportRefusal, number>>;
  /** Tasks that the filter left out. */
  readonly leftOut: number;
}

export interface CollectOptions {
  readonly filter: ExportFilter;
  /** What a solver is asked; the environment's own prompt. */
  readonly promptOf: (task: Task, images: readonly Image[]) => Prompt;
  /**
   * Shortest side of an exported picture, pixels. Smaller ones are enlarged by the least whole factor, every pixel becoming a
   * square, since Qwen's processors fail under 28; with `enlarge: false` they are refused.
   */
  readonly minSide: number;
  readonly enlarge: boolean;
}

/** What stands for a picture in a prompt's text. */
export const IMAGE_MARK = '<image>';

const TRAINED_ROLE = 'actor';
const JUDGED_ROLE = 'evaluation-sampled';

/** The tasks of a run that pass the filter, in the order of recording, with their prompts and pictures. */
export async function collectRecords(reader: RunReader, options: CollectOptions): Promise<Collected> {
  const { filter, promptOf, minSide, enlarge } = options;
  const trained = measuredBy(reader, TRAINED_ROLE);
  const judged = measuredBy(reader, JUDGED_ROLE);
  const measured = filter.tasks === 'trained' ? trained : judged;
  const records: ExportRecord[] = [];
  const refused: Record<ExportRefusal, number> = {
    'stray-image-mark': 0,
    'too-small': 0,
    'missing-image': 0,
  };
  let leftOut = 0;
  for (const { task, round } of reader.tasks()) {
    const rate = measured.get(task.id);
    const mine = filter.tasks === 'trained' ? !judged.has(task.id) : judged.has(task.id);
    if (!mine || !passes(filter, task, round, rate?.passRate ?? null)) {
      leftOut++;
      continue;
    }
    const images = await Promise.all(task.images.map(({ hash }) => reader.image(hash)));
    const whole = images.filter((image) => image !== null);
    if (whole.length < images.length) {
      refused['missing-image']++;
      continue;
    }
    if (!enlarge && whole.some(({ width, height }) => Math.min(width, height) < minSide)) {
      refused['too-small']++;
      continue;
    }
    const messages = messagesOf(promptOf(task, whole), whole.length);
    if (messages === null) {
      refused['stray-image-mark']++;
      continue;
    }
    const encoded = await Promise.all(
      whole.map(async (image, i) => ({
        hash: task.images[i]?.hash ?? '',
        png: await encodePng(enlarged(image, minSide), { level: 9 }),
      })),
    );
    records.push({
      task,
      round,
      passRate: rate?.passRate ?? null,
      rollouts: rate?.rollouts ?? 0,
      messages,
      images: encoded,
    });
  }
  return { records, refused, leftOut };
}

interface Measured {
  readonly passRate: number;
  readonly rollouts: number;
}

function measuredBy(reader: RunReader, role: string): ReadonlyMap<string, Measured> {
  const found = new Map<string, Measured>();
  for (const { taskId, passRate, rollouts } of reader.passRates({ role })) {
    const old = found.get(taskId) ?? { passRate: 0, rollouts: 0 };
    const all = old.rollouts + rollouts;
    const right = old.passRate * old.rollouts + passRate * rollouts;
    found.set(taskId, { passRate: all > 0 ? right / all : 0, rollouts: all });
  }
  return found;
}

function passes(
  { minPassRate, maxPassRate, rounds, environment }: ExportFilter,
  task: Task,
  round: number,
  passRate: number | null,
): boolean {
  if (environment !== undefined && task.environment !== environment) return false;
  if (rounds && (round < rounds[0] || round > rounds[1])) return false;
  if (minPassRate === undefined && maxPassRate === undefined) return true;
  return passRate !== null && passRate >= (minPassRate ?? 0) && passRate <= (maxPassRate ?? 1);
}

/** Messages with a mark for every picture; null when the text holds a mark of its own, which would shift all others. */
function messagesOf(prompt: Prompt, pictures: number): ExportRecord['messages'] | null {
  let marks = 0;
  let stray = false;
  const messages = prompt.messages.map(({ role, content }) => {
    const parts = content.map((part) => {
      if (part.type === 'image') {
        marks++;
        return IMAGE_MARK;
      }
      stray ||= part.text.includes(IMAGE_MARK);
      return part.text;
    });
    return { role, content: parts.join('') };
  });
  return stray || marks !== pictures ? null : messages;
}

/** A picture with no side under `minSide`, every pixel a square of the least whole size that does it. */
export function enlarged(image: Image, minSide: number): Image {
  const factor = Math.ceil(minSide / Math.min(image.width, image.height));
  if (factor <= 1) return image;
  const width = image.width * factor;
  const height = image.height * factor;
  const rgb = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = 3 * (Math.floor(y / factor) * image.width + Math.floor(x / factor));
      rgb.set(image.rgb.subarray(from, from + 3), 3 * (y * width + x));
    }
  }
  return { width, height, rgb };
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
