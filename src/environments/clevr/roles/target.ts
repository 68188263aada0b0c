import type { ProgramNode, ProgramValue } from '../program.js';

/**
 * The intermediate results along a program, in program order: the size of every set at the end of its chain of filters
 * (a relation's or a `same_*`'s own size where no filter follows), of every union and intersection, every word that is
 * queried on the way to a comparison, and every count on the way that isn't the size just written. At least one piece
 * for every program that looks at objects; the answer itself is left out unless it is such a size.
 *
 * Throws when the trace isn't the program's.
 */
export function reasoningSteps(
  program: readonly ProgramNode[],
  trace: readonly ProgramValue[],
): readonly string[] {
  if (program.length !== trace.length) throw new Error('reasoningSteps: the trace is not of this program');
  const feedsOnlyFilters = program.map((_, i) => {
    const consumers = program.filter((node) => node.inputs.includes(i));
    return consumers.length > 0 && consumers.every((node) => node.function.startsWith('filter_'));
  });
  const written = new Set<number>();
  const steps: string[] = [];
  for (const [i, node] of program.entries()) {
    const value = trace[i] as ProgramValue;
    if (i === program.length - 1) break;
    if (value.kind === 'objects') {
      const joins = node.function === 'union' || node.function === 'intersect';
      if (feedsOnlyFilters[i] && !joins) continue;
      steps.push(String(value.objects.length));
      written.add(i);
    } else if (value.kind === 'word') {
      steps.push(value.word);
    } else if (value.kind === 'integer' && !node.inputs.some((input) => written.has(input))) {
      steps.push(String(value.integer));
    }
  }
  return steps;
}

/**
 * What the micro actor is taught to write: `<think> 2 1 3 </think> <answer> yes </answer>`, its words those of
 * `reasoningSteps`.
 */
export function solverTarget(
  program: readonly ProgramNode[],
  trace: readonly ProgramValue[],
  answer: string,
): string {
  const steps = reasoningSteps(program, trace);
  return ['<think>', ...steps, '</think>', '<answer>', answer, '</answer>'].join(' ');
}
