export { FakePolicy, type FakeAnswers, type FakeOptions } from './policy.js';
