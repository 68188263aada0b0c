/**
 * Who may import whom. The one table that the lint rule (`rooms-rule.js`) and the test (`tests/tooling`) read.
 */
import path from 'node:path';

/** Rooms that see nothing but core and the ways to draw and to run code. */
const GROUND = ['core', 'render', 'sandbox'];
/** Everything that a loop is made of. */
const PARTS = [...GROUND, 'environments/*', 'rewards', 'algorithms'];
/** Everything that a configuration wires. */
const WHOLE = [...PARTS, 'engines/*', 'runs', 'methods/*', 'evaluation', 'export', 'report'];

/**
 * Room -> rooms it may import besides itself. `name/*` stands for the folders below `src/name`, each a room of its own:
 * they never import one another. `index.ts` directly in `src/` is the room `index`.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const ROOMS = {
  core: [],
  render: ['core'],
  sandbox: ['core'],
  'environments/*': GROUND,
  rewards: [...GROUND, 'environments/*'],
  algorithms: [...GROUND, 'environments/*'],
  'engines/*': PARTS,
  runs: [...PARTS, 'engines/*'],
  'methods/*': [...PARTS, 'engines/*', 'runs'],
  evaluation: PARTS,
  export: [...PARTS, 'runs'],
  report: [...PARTS, 'runs'],
  config: WHOLE,
  cli: [...WHOLE, 'config', 'index'],
  index: [...WHOLE, 'config'],
};

/**
 * The room of a file in `src/`, e.g. `core` or `engines/micro`; null when it lies in none.
 *
 * @param {string} file path relative to `src/`, with forward slashes
 * @returns {string | null}
 */
export function roomOf(file) {
  const [first = '', second = '', ...deeper] = file.split('/');
  if (second === '') return first === 'index.ts' ? 'index' : null;
  if (first in ROOMS) return first;
  return `${first}/*` in ROOMS && deeper.length > 0 ? `${first}/${second}` : null;
}

/**
 * What is wrong with an import, in one line; null when nothing is.
 *
 * @param {string} from the importing file, relative to `src/`
 * @param {string} specifier what it imports, as written
 * @returns {string | null}
 */
export function importProblem(from, specifier) {
  const own = roomOf(from);
  if (own === null) return `src/${from} lies in no room of tooling/rooms.js`;
  if (specifier === 'covolve' || specifier.startsWith('covolve/')) {
    return `${own} imports the package by its own name (${specifier}): import the file`;
  }
  if (!specifier.startsWith('.')) return null;
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(from), specifier));
  if (target.startsWith('../')) return `${own} imports ${specifier}, which lies outside src/`;
  const other = roomOf(target.replace(/\.js$/, '.ts'));
  if (other === null) return `${own} imports ${specifier}, which lies in no room of tooling/rooms.js`;
  if (own === other || allowed(own).includes(wildcard(other))) return null;
  return `${own} may not import ${other} (tooling/rooms.js)`;
}

/** @param {string} room */
function allowed(room) {
  return ROOMS[wildcard(room)] ?? [];
}

/** @param {string} room */
function wildcard(room) {
  return room.includes('/') ? `${room.split('/')[0]}/*` : room;
}
