import { MICRO_COLOURS, MICRO_KEYS, MICRO_MOST, MICRO_STYLES } from '../micro.js';
import { microEditLiterals } from './grammar.js';

/** Words of the questions about micro charts, in their first wordings, for every kind that has a place there. */
const QUESTION_WORDS =
  'what is the value of which color has highest lowest any difference between and greater than sum over all colors ?';

/**
 * Every piece of text that a micro model reads or writes about charts, each once, in a fixed order: tags, numbers, names, words
 * of questions, values of the style, and the JSON fragments of an edit list.
 */
export function chartsMicroVocabulary(): string[] {
  const pieces = [
    ...['<think>', '</think>', '<answer>', '</answer>'],
    ...Array.from({ length: 2 * MICRO_MOST + 1 }, (_, i) => String(i)),
    ...['yes', 'no'],
    ...MICRO_COLOURS,
    ...QUESTION_WORDS.split(' '),
    ...['pass', '|'],
    ...MICRO_KEYS.flatMap((key) => MICRO_STYLES[key].map(String)),
    ...microEditLiterals(),
  ];
  return [...new Set(pieces)];
}
