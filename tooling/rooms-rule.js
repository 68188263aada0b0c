/** The lint rule `covolve/rooms`: every import of a file in `src/` keeps to the table in `rooms.js`. */
import path from 'node:path';
import { importProblem } from './rooms.js';

/** @type {import('eslint').Rule.RuleModule} */
export const roomsRule = {
  meta: {
    type: 'problem',
    docs: { description: 'imports keep to the table in tooling/rooms.js' },
    schema: [],
  },
  create(context) {
    const file = path.relative(path.join(context.cwd, 'src'), context.filename).split(path.sep).join('/');
    if (file.startsWith('../')) return {};
    /** @param {any} node */
    const check = (node) => {
      const source = node.source ?? node.argument;
      const specifier = source?.type === 'TSLiteralType' ? source.literal.value : source?.value;
      if (typeof specifier !== 'string') return;
      const problem = importProblem(file, specifier);
      if (problem !== null) context.report({ node: source, message: problem });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      TSImportType: check,
    };
  },
};
