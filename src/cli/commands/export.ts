import path from 'node:path';
import { runConfig, withEnvironment, type RunConfig } from '../../config/index.js';
import { ConfigError } from '../../core/errors.js';
import {
  collectRecords,
  filesOf,
  FORMATS,
  metricLines,
  writeExport,
  type ExportFile,
  type ExportFilter,
  type Format,
} from '../../export/index.js';
import { RunReader } from '../../runs/index.js';
import { wholeNumber } from '../arguments.js';
import { print, type Context } from '../context.js';

/** Flags of `covolve export`, as written. */
export interface ExportFlags {
  readonly format: string;
  readonly out?: string;
  readonly minP?: string;
  readonly maxP?: string;
  readonly rounds?: string;
  readonly environment?: string;
  readonly heldOut?: boolean;
  readonly split?: string;
  readonly prompt: string;
  readonly minSide: string;
  readonly enlarge: boolean;
  readonly overwrite?: boolean;
  readonly json?: boolean;
}

const METRICS = 'metrics';

/** `covolve export`: tasks of a run as a data set of another trainer, or its metrics. Gives the exit code. */
export async function exportRun(context: Context, name: string, flags: ExportFlags): Promise<number> {
  const directory = path.resolve(context.directory, name);
  const known: readonly string[] = [...FORMATS, METRICS];
  if (!known.includes(flags.format)) {
    throw new ConfigError('--format', flags.format, `must be one of ${known.join(', ')}`);
  }
  const out = path.resolve(context.directory, flags.out ?? path.join(name, `export-${flags.format}`));
  const shown = path.relative(context.directory, out) || '.';
  const config = runConfig(directory);
  const reader = RunReader.open(directory);
  try {
    if (flags.format === METRICS) {
      const text = metricLines(reader);
      await writeExport(out, [{ name: 'metrics.jsonl', bytes: text }], flags.overwrite === true);
      const lines = text.split('\n').length - 1;
      print(
        context,
        flags.json === true ? JSON.stringify({ out: shown, metrics: lines }) : `${lines} metrics: ${shown}`,
      );
      return 0;
    }
    return await exportTasks(context, reader, config, flags, out, shown);
  } finally {
    reader.close();
  }
}

async function exportTasks(
  context: Context,
  reader: RunReader,
  config: RunConfig,
  flags: ExportFlags,
  out: string,
  shown: string,
): Promise<number> {
  const filter = filterOf(flags);
  const minSide = wholeNumber('--min-side', flags.minSide, 1);
  const findImage = (hash: string): ReturnType<RunReader['image']> => reader.image(hash);
  const { records, refused, leftOut } = await withEnvironment(
    promptingConfig(config, flags.prompt),
    findImage,
    ({ solver }) =>
      collectRecords(reader, {
        filter,
        promptOf: (task, images) => solver.prompt({ task, images }),
        minSide,
        enlarge: flags.enlarge,
      }),
  );
  if (records.length === 0) {
    throw new ConfigError(
      'export',
      reader.info().directory,
      `no task passes; ${leftOut} were left out by the filters`,
    );
  }
  const split = flags.split ?? (filter.tasks === 'held-out' ? 'test' : 'train');
  if (!/^[\w.-]+$/.test(split)) throw new ConfigError('--split', split, 'must be letters, digits, -, _ or .');
  const files: ExportFile[] = filesOf(
    flags.format as Format,
    records,
    split,
    `covolve/${config.environment}`,
  );
  await writeExport(out, files, flags.overwrite === true);
  const names = files.map((file) => file.name).filter((file) => !file.startsWith('images/'));
  if (flags.json === true) {
    print(
      context,
      JSON.stringify({
        out: shown,
        format: flags.format,
        tasks: records.length,
        leftOut,
        refused,
        files: names,
      }),
    );
    return 0;
  }
  print(
    context,
    `${records.length} tasks as ${flags.format}: ${names.map((file) => path.join(shown, file)).join(', ')}`,
  );
  for (const [reason, count] of Object.entries(refused))
    if (count > 0) print(context, `refused: ${reason} ${count}`);
  return 0;
}

/** The configuration with prompts for an instruction-tuned model, unless those of the run are wanted. */
function promptingConfig(config: RunConfig, prompt: string): RunConfig {
  if (prompt !== 'full' && prompt !== 'run') {
    throw new ConfigError(
      '--prompt',
      prompt,
      'must be full (instructions for a large model) or run (as in the run)',
    );
  }
  const section = config.sections[config.environment];
  const styled = typeof section === 'object' && section !== null && 'promptStyle' in section;
  if (prompt === 'run' || !styled) return config;
  const sections = { ...config.sections, [config.environment]: { ...section, promptStyle: 'full' } };
  return { ...config, sections };
}

function filterOf(flags: ExportFlags): ExportFilter {
  const share = (name: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() === '' || !(value >= 0 && value <= 1))
      throw new ConfigError(name, text, 'must be from 0 to 1');
    return value;
  };
  const minPassRate = share('--min-p', flags.minP);
  const maxPassRate = share('--max-p', flags.maxP);
  if (minPassRate !== undefined && maxPassRate !== undefined && minPassRate > maxPassRate) {
    throw new ConfigError('--min-p', flags.minP, `must not be above --max-p ${maxPassRate}`);
  }
  const rounds = flags.rounds === undefined ? undefined : roundsOf(flags.rounds);
  return {
    tasks: flags.heldOut === true ? 'held-out' : 'trained',
    ...(minPassRate === undefined ? {} : { minPassRate }),
    ...(maxPassRate === undefined ? {} : { maxPassRate }),
    ...(rounds ? { rounds } : {}),
    ...(flags.environment === undefined ? {} : { environment: flags.environment }),
  };
}

function roundsOf(text: string): readonly [number, number] {
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
  if (!match || first > last)
    throw new ConfigError('--rounds', text, 'must be a round or a range, e.g. 2 or 1-5');
  return [first, last];
}
