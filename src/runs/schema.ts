/** Version of the tables below; a store of another version is refused with a clear message. */
export const FORMAT_VERSION = 1;

/** SQLite's `application_id` of a run store: "CVLV" in ASCII. */
export const APPLICATION_ID = 0x43564c56;

/**
 * The tables of `run.sqlite`. Typed columns hold what SQL is asked about, JSON what only Covolve reads. Columns of type
 * ANY hold text or numbers that SQLite would change (see codec.ts). `id` counts in the order of recording; times are
 * milliseconds since 1970 and belong to no run's content.
 */
export const SCHEMA = `
CREATE TABLE run (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version TEXT NOT NULL,          -- Covolve's own
  preset TEXT NOT NULL,
  seed ANY NOT NULL,
  config TEXT NOT NULL,           -- JSON
  created_at INTEGER NOT NULL,
  active_at INTEGER NOT NULL      -- last write
) STRICT;

CREATE TABLE images (
  hash TEXT PRIMARY KEY,          -- of the pixels; the file is blobs/<first two digits>/<hash>.png
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  bytes INTEGER NOT NULL          -- of the file
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  round INTEGER NOT NULL,
  parent TEXT,                    -- a task id; may be of a pool that isn't in this run
  environment TEXT NOT NULL,
  seed TEXT NOT NULL,             -- lineage.seedId
  label TEXT NOT NULL,            -- derived or pseudo
  content TEXT NOT NULL,          -- JSON of TaskContent
  lineage TEXT NOT NULL           -- JSON of Lineage
) STRICT;
CREATE INDEX tasks_by_round ON tasks (round, position);
CREATE INDEX tasks_by_parent ON tasks (parent);

CREATE TABLE rounds (
  round INTEGER PRIMARY KEY,      -- a round whose proposals are recorded
  proposals INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE proposals (
  id INTEGER PRIMARY KEY,
  round INTEGER NOT NULL REFERENCES rounds (round),
  position INTEGER NOT NULL,      -- Proposal.index
  parent TEXT NOT NULL,
  parent_pass_rate ANY NOT NULL,
  origin TEXT NOT NULL,
  text ANY NOT NULL,
  tokens BLOB NOT NULL,           -- int32, little-endian
  logprobs BLOB NOT NULL,         -- float32, little-endian
  action TEXT,                    -- JSON; NULL when it didn't parse
  outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'rejected')),
  task TEXT REFERENCES tasks (id),
  reason TEXT,
  detail ANY,
  UNIQUE (round, position)
) STRICT;
CREATE INDEX proposals_by_reason ON proposals (round, reason) WHERE reason IS NOT NULL;
CREATE INDEX proposals_by_task ON proposals (task) WHERE task IS NOT NULL;

CREATE TABLE steps (
  id INTEGER PRIMARY KEY,         -- a step whose rollouts are recorded
  round INTEGER NOT NULL,
  role TEXT NOT NULL,
  step INTEGER NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (round, role, step)
) STRICT;

CREATE TABLE groups (
  id INTEGER PRIMARY KEY,
  round INTEGER NOT NULL,
  role TEXT NOT NULL,
  step INTEGER NOT NULL,
  position INTEGER NOT NULL,      -- in the batch
  task TEXT NOT NULL REFERENCES tasks (id),
  pass_rate ANY NOT NULL,
  UNIQUE (round, role, step, position),
  FOREIGN KEY (round, role, step) REFERENCES steps (round, role, step)
) STRICT;
CREATE INDEX groups_by_task ON groups (task);

CREATE TABLE rollouts (
  id INTEGER PRIMARY KEY,
  round INTEGER NOT NULL,
  role TEXT NOT NULL,
  step INTEGER NOT NULL,
  task TEXT NOT NULL,
  sample INTEGER NOT NULL,
  position INTEGER NOT NULL,      -- of its group in the batch
  text ANY NOT NULL,
  tokens BLOB NOT NULL,           -- int32, little-endian
  logprobs BLOB NOT NULL,         -- float32, little-endian
  reward ANY NOT NULL,
  terms TEXT NOT NULL,            -- JSON: name to number
  correct INTEGER NOT NULL CHECK (correct IN (0, 1)),
  advantage ANY NOT NULL,
  finish TEXT NOT NULL CHECK (finish IN ('stop', 'length')),
  UNIQUE (round, role, step, task, sample),
  FOREIGN KEY (round, role, step, position) REFERENCES groups (round, role, step, position)
) STRICT;

CREATE TABLE measurements (
  id INTEGER PRIMARY KEY,         -- a place whose metrics are recorded
  round INTEGER NOT NULL,
  role TEXT NOT NULL,
  step INTEGER NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (round, role, step)
) STRICT;

CREATE TABLE metrics (
  id INTEGER PRIMARY KEY,
  measurement INTEGER NOT NULL REFERENCES measurements (id),
  name TEXT NOT NULL,
  value ANY NOT NULL,             -- a number, or the text NaN
  UNIQUE (measurement, name)
) STRICT;
CREATE INDEX metrics_by_name ON metrics (name, id);

CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY,
  role TEXT NOT NULL,
  round INTEGER NOT NULL,
  step INTEGER NOT NULL,
  updates INTEGER NOT NULL,
  parent TEXT,                    -- what it was initialised from
  hash TEXT NOT NULL,             -- SHA-256; the file is checkpoints/<hash>.bin
  size INTEGER NOT NULL,          -- in bytes
  keep INTEGER NOT NULL DEFAULT 0 CHECK (keep IN (0, 1)),
  blob TEXT NOT NULL DEFAULT 'live' CHECK (blob IN ('live', 'deleted', 'damaged')),
  at INTEGER NOT NULL,
  UNIQUE (role, round, step)
) STRICT;
CREATE INDEX checkpoints_by_hash ON checkpoints (hash);

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  detail TEXT NOT NULL            -- JSON
) STRICT;
`;
