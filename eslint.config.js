import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { roomsRule } from './tooling/rooms-rule.js';

const noGlobalRandomness = {
  object: 'Math',
  property: 'random',
  message: 'Randomness is a hashed stream that is passed in (core/rng.ts).',
};
const noEnvironment = {
  object: 'process',
  property: 'env',
  message: 'Only the command line reads environment variables (src/cli).',
};

export default tseslint.config(
  { ignores: ['dist/', '.venv-*/', 'coverage/', 'runs/', 'dashboard/', '**/__fixtures__/', '**/golden/'] },
  js.configs.recommended,
  {
    files: ['**/*.js'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly' } },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strict],
    rules: {
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-properties': ['error', noGlobalRandomness, noEnvironment],
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    extends: [tseslint.configs.strictTypeCheckedOnly],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { covolve: { rules: { rooms: roomsRule } } },
    rules: {
      'covolve/rooms': 'error',
      'no-console': 'error',
      // A function that keeps to an interface may have nothing to await.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // `return refuse(...)` leaves early and says why in one line.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Records of functions are taken apart freely; the few classes are not.
      '@typescript-eslint/unbound-method': 'off',
      // A query names the type of its rows once.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // Types of what crosses a boundary (JSON, arrays by index) are wider in fact than the checker believes.
      '@typescript-eslint/no-unnecessary-condition': 'off',
    },
  },
  {
    files: ['src/cli/**/*.ts'],
    rules: {
      'no-console': 'off',
      'no-restricted-properties': ['error', noGlobalRandomness],
    },
  },
  {
    files: ['tests/**/*.ts'],
    // What isn't there fails the test, which is what a test is for.
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
