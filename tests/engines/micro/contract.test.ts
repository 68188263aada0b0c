import { userPrompt } from '../../../src/core/prompt.js';
import { engineContract } from '../contract.js';
import { noise, PROMPTS, TINY, tinyPolicy } from './tiny.js';

engineContract('micro', {
  make: () => tinyPolicy(),
  prompts: PROMPTS,
  words: ['red', 'green', 'blue', 'cube', 'ball'],
  longest: TINY.completionLength,
  narrows: true,
  learningRate: 2e-3,
  unreadable: {
    'too long': userPrompt('red green blue cube ball', [noise(0)]),
    'unknown word': userPrompt('purple', [noise(0)]),
    'no picture': userPrompt('red'),
    'two pictures': userPrompt('red', [noise(0), noise(1)]),
    'another size': userPrompt('red', [noise(0, 16, 4)]),
  },
});
