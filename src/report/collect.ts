import type { Json } from '../core/json.js';
import type { Metric } from '../core/ports.js';
import type { RunReader, StepSummary } from '../runs/index.js';
import { collectCurriculum } from './curriculum.js';
import { collectHeldOut } from './heldOut.js';
import { collectPrograms } from './programs.js';
import {
  ROLES,
  type Budget,
  type Frontier,
  type Heading,
  type Place,
  type ReportModel,
  type Status,
} from './model.js';

/** Reads everything that a report shows in numbers. Works on a run at any point, an empty one too. */
export function collectReport(reader: RunReader): ReportModel {
  const config = configOf(reader.info().config);
  const frontier = frontierOf(config.method);
  const metrics = reader.metricNames().flatMap((name) => reader.metrics(name));
  const steps = reader.steps();
  const heldOut = collectHeldOut(reader, metrics);
  const actor = places(metrics, ROLES.actor);
  const trained = [...steps.filter(({ role }) => role === ROLES.actor), ...actor].map(({ round }) => round);
  const reached = trained.length === 0 ? null : Math.max(...trained);
  const actorRates = reader.passRates({ role: ROLES.actor });
  return {
    heading: headingOf(reader, config, steps, reached, heldOut.evaluations.at(-1)?.items ?? 0),
    frontier,
    groupSize: actorRates.length === 0 ? null : Math.max(...actorRates.map(({ rollouts }) => rollouts)),
    heldOut,
    rounds: places(metrics, ROLES.round),
    updates: { actor, rewriter: places(metrics, ROLES.rewriter) },
    curriculum: collectCurriculum(reader, actorRates, frontier, config.environment),
    programs: collectPrograms(metrics, places),
    events: reader.events(),
  };
}

type JsonObject = { readonly [key: string]: Json };

/** What a report needs of a configuration, whatever its shape: a run made by hand may have stored anything. */
interface ConfigParts {
  readonly name: string;
  readonly environment: string;
  readonly engine: string | null;
  /** The method's own section; the whole configuration when it has no such section. */
  readonly method: JsonObject;
}

function configOf(config: Json): ConfigParts {
  const root = isObject(config) ? config : {};
  const name = textOf(root['method']) ?? ROLES.round;
  const section = root[name];
  return {
    name,
    environment: textOf(root['environment']) ?? 'clevr',
    engine: textOf(root['engine']),
    method: section !== undefined && isObject(section) ? section : root,
  };
}

function isObject(json: Json): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function textOf(json: Json | undefined): string | null {
  return typeof json === 'string' ? json : null;
}

function numberOf(json: Json | undefined): number | null {
  return typeof json === 'number' && Number.isFinite(json) ? json : null;
}

/** VICO's own numbers where the configuration names none. */
function frontierOf(method: JsonObject): Frontier {
  return { alpha: numberOf(method['alpha']) ?? 0.5, halfWidth: numberOf(method['kMin']) ?? 0.15 };
}

/** Events that say a run has done all it was to do. */
const LAST_EVENTS = ['completed', 'finished'];

function headingOf(
  reader: RunReader,
  config: ConfigParts,
  steps: readonly StepSummary[],
  reached: number | null,
  heldOutTasks: number,
): Heading {
  const { preset, seed, version, createdAt, activeAt, config: stored } = reader.info();
  const events = reader.events();
  return {
    method: config.name,
    arm: textOf(config.method['arm']),
    environment: config.environment,
    engine: config.engine,
    preset,
    seed: String(seed),
    version,
    status: statusOf(reader, reached),
    plannedRounds: textOf(config.method['arm']) === 'base' ? 0 : numberOf(config.method['rounds']),
    startedAt: createdAt,
    lastWriteAt: activeAt,
    resumed: events.filter(({ kind }) => kind === 'opened' || kind === 'resumed').length,
    budget: budgetOf(reader, steps, heldOutTasks),
    config: stored,
  };
}

function statusOf(reader: RunReader, round: number | null): Status {
  if (reader.events().some(({ kind }) => LAST_EVENTS.includes(kind))) return { kind: 'finished' };
  const writer = reader.writer();
  if (writer === null) return { kind: 'stopped', round };
  return { kind: writer.state === 'gone' ? 'interrupted' : 'running', round };
}

function budgetOf(reader: RunReader, steps: readonly StepSummary[], heldOutTasks: number): Budget {
  const rollouts = (of: (role: string) => boolean): number =>
    steps.filter(({ role }) => of(role)).reduce((sum, step) => sum + step.rollouts, 0);
  const { proposals, accepted } = reader.counts();
  const updates = new Map<string, number>();
  for (const checkpoint of reader.checkpoints()) {
    updates.set(checkpoint.role, Math.max(checkpoint.updates, updates.get(checkpoint.role) ?? 0));
  }
  const asked = reader.passRates({ round: 0, role: ROLES.actor });
  const heldOut = (role: string): boolean => role.startsWith(ROLES.evaluation);
  return {
    trainedRollouts: rollouts((role) => !heldOut(role)),
    heldOutRollouts: rollouts(heldOut),
    updates,
    seedTasks: new Set(asked.map(({ taskId }) => taskId)).size,
    heldOutTasks,
    proposals,
    acceptedEdits: accepted,
  };
}

/** Metrics of a role by place, in the order of rounds and steps. */
function places(metrics: readonly Metric[], of: string): Place[] {
  const byPlace = new Map<string, { round: number; step: number; values: Record<string, number> }>();
  for (const { role, round, step, name, value } of metrics) {
    if (role !== of) continue;
    const key = `${round} ${step}`;
    const place = byPlace.get(key) ?? { round, step, values: {} };
    place.values[name] = value;
    byPlace.set(key, place);
  }
  return [...byPlace.values()].sort((a, b) => a.round - b.round || a.step - b.step);
}
