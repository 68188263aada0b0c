import { setImmediate } from 'node:timers/promises';
import type { RunJournal } from '../core/ports.js';

/**
 * The same journal, with a turn of the event loop before each look for something recorded: an engine that computes in this
 * process never gives one up by itself, and signals, timers and progress bars wait for it.
 */
export function breathingJournal(journal: RunJournal): RunJournal {
  return {
    async findProposals(round) {
      await setImmediate();
      return journal.findProposals(round);
    },
    async findGroups(key) {
      await setImmediate();
      return journal.findGroups(key);
    },
    async findMetrics(key) {
      await setImmediate();
      return journal.findMetrics(key);
    },
    recordProposals: (round, proposals, tasks, images) =>
      journal.recordProposals(round, proposals, tasks, images),
    findTasks: (ids) => journal.findTasks(ids),
    recordTasks: (tasks, images) => journal.recordTasks(tasks, images),
    findImage: (hash) => journal.findImage(hash),
    recordGroups: (key, groups) => journal.recordGroups(key, groups),
    recordMetrics: (key, metrics) => journal.recordMetrics(key, metrics),
    latestCheckpoint: (role) => journal.latestCheckpoint(role),
    recordCheckpoint: (checkpoint, state) => journal.recordCheckpoint(checkpoint, state),
    recordEvent: (kind, detail) => journal.recordEvent(kind, detail),
    findEvents: (kind) => journal.findEvents(kind),
  };
}
