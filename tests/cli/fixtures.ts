import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execute } from '../../src/cli/execute.js';
import { Rng } from '../../src/core/rng.js';
import type { TrainGroup } from '../../src/core/policy.js';
import { userPrompt } from '../../src/core/prompt.js';
import { MicroPolicy } from '../../src/engines/micro/index.js';
import { clevrMicroVocabulary } from '../../src/environments/clevr/index.js';

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** A new directory for one test. The caller removes it. */
export function temporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  const directory = mkdtempSync(path.join(tmpdir(), 'covolve-cli-'));
  return { path: directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** What a command did. */
export interface Outcome {
  /** Null when it was killed. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command that is running. */
export interface Command {
  readonly process: ChildProcess;
  readonly ended: Promise<Outcome>;
}

/** Starts the command line from source as a process of its own, standing in `directory`. */
export function start(directory: string, ...args: string[]): Command {
  const child = spawn(process.execPath, ['--import', TSX, MAIN, ...args], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const read: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      read[name] += chunk;
    });
  }
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out: read.stdout, err: read.stderr }));
  });
  return { process: child, ended };
}

/** Keeps what is written to it. */
class Sheet extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

/** Runs one command to its end in this process, which spares the start of another. */
export async function covolve(directory: string, ...args: string[]): Promise<Outcome> {
  const [out, err] = [new Sheet(), new Sheet()];
  const self = [process.execPath, '--import', TSX, MAIN];
  const code = await execute(args, {
    streams: { out, err },
    directory,
    now: Date.now,
    self,
    variable: () => null,
  });
  return { code, out: out.text, err: err.text };
}

const SHARED = { width: 16, heads: 2, layers: 1, expand: 2, vocabulary: clevrMicroVocabulary() };

/**
 * Writes a tiny actor that knows the form of an answer and little else, so that its groups are mixed, and a tiny rewriter with
 * random weights.
 */
export async function writeTinyModels(directory: string): Promise<void> {
  const rng = Rng.fromSeed('tiny models');
  const vision = { imageWidth: 72, imageHeight: 48, stride: 8, window: 12, layers: 1, patchLabels: 4 };
  const actor = await MicroPolicy.create(
    { ...SHARED, promptLength: 28, completionLength: 12, vision },
    rng.child('actor'),
    { name: 'actor', freezeVision: true, trainShapes: [{ B: 2, K: 8 }] },
  );
  const image = { width: 72, height: 48, rgb: new Uint8Array(3 * 72 * 48) };
  const prompt = userPrompt('are there any cubes ?', [image]);
  const answers = ['yes', 'no', 'cube', 'sphere', 'red', '1', '2', '0'];
  const samples = answers.map((answer) => {
    const tokens = actor.encode(`<think> </think> <answer> ${answer} </answer>`);
    return { tokens, logprobs: new Float32Array(tokens.length), weight: 1 };
  });
  const batch: TrainGroup[] = [{ prompt, samples }];
  for (let step = 0; step < 60; step++) await actor.update(batch, { name: 'cross-entropy' }, 0.01);
  writeFileSync(path.join(directory, 'actor.safetensors'), await actor.exportWeights());
  actor.dispose();
  const rewriter = await MicroPolicy.create(
    { ...SHARED, promptLength: 112, completionLength: 48, vision: null },
    rng.child('rewriter'),
    { name: 'rewriter', freezeVision: true },
  );
  writeFileSync(path.join(directory, 'rewriter.safetensors'), await rewriter.exportWeights());
  rewriter.dispose();
}

/** Settings of a run that takes seconds, with the models of `writeTinyModels` in the directory where the command stands. */
export const TINY = [
  'seeds.count=12',
  'seeds.questionsPerScene=3',
  'vico.rounds=2',
  'vico.tasksPerRound=12',
  'vico.groupSize=4',
  'vico.kMin=0.5',
  'vico.actor.tasksPerStep=6',
  'vico.actor.learningRate=0.003',
  'vico.actor.warmupSteps=0',
  'vico.rewriter.batchSize=4',
  'evaluation.imagesPerCount=1',
  'evaluation.questionsPerImage=2',
  'evaluation.samples=3',
  'store.checkpointEvery=1',
  'micro.actor.checkpoint=actor.safetensors',
  'micro.rewriter.checkpoint=rewriter.safetensors',
  'micro.actor.sampleShapes=[{B: 8, K: 4}]',
  'micro.actor.trainShapes=[{B: 8, K: 4}]',
  'micro.rewriter.sampleShapes=[{B: 16, K: 1}]',
  'micro.rewriter.trainShapes=[{B: 4, K: 1}]',
];
