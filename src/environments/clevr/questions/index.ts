export { isDegenerate } from './degenerate.js';
export {
  generateQuestion,
  generateQuestions,
  type QuestionOptions,
  type QuestionsOptions,
} from './generate.js';
export {
  ATTRIBUTE_VALUES,
  ATTRIBUTES,
  formProgram,
  type Attribute,
  type AttributeValue,
  type CountTest,
  type Filter,
  type Form,
  type NounPhrase,
  type Place,
  type RelationPhrase,
} from './phrases.js';
export { MAX_OBJECTS } from './sets.js';
export type { Ask } from './single.js';
export { formText, QUESTION_WORDS, questionTokens, type Choose } from './wording.js';
