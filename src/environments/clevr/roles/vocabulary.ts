import { QUESTION_WORDS } from '../questions/index.js';
import { EXTENT, MAX_OBJECTS } from '../sampler.js';
import { DEFAULT_MAX_EDITS } from '../schema.js';
import { COLORS, MATERIALS, SHAPES, SIZES } from '../scene.js';
import { editListGrammar, grammarLiterals } from './grammar.js';
import { gridCoordinates } from './micro.js';

/**
 * Every piece of text that a micro model reads or writes for CLEVR, each once, in a fixed order: tags, numbers, words
 * of answers and questions, and the JSON fragments of an edit list. Any micro prompt about our own questions and any
 * micro target is a sequence of these under greedy longest match with white space ignored.
 */
export function clevrMicroVocabulary(): string[] {
  const counts = Array.from({ length: MAX_OBJECTS + 1 }, (_, i) => String(i));
  const grammar = editListGrammar({ objects: MAX_OBJECTS, maxEdits: DEFAULT_MAX_EDITS, extent: EXTENT });
  const pieces = [
    ...['<think>', '</think>', '<answer>', '</answer>'],
    ...counts,
    ...['yes', 'no'],
    ...[...SIZES, ...COLORS, ...MATERIALS, ...SHAPES],
    ...[...QUESTION_WORDS].sort(),
    ...['pass', '|'],
    ...gridCoordinates(EXTENT).map(String),
    ...grammarLiterals(grammar),
  ];
  return [...new Set(pieces)];
}
