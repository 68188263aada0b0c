import type { Json } from '../../core/json.js';
import type { Proposal } from '../../core/ports.js';
import type { Program } from './challenger.js';
import type { EveSetup } from './setup.js';

const NOTHING = { text: '', tokens: new Int32Array(0), logprobs: new Float32Array(0) };

/**
 * Keeps every program of a round as a proposal, refused ones with their reason, in the order of steps, images and samples. An
 * accepted one names the first of its questions; its parent is what the challenger was asked, which has no pass rate (0).
 */
export async function recordPrograms<State extends Json, Action extends Json>(
  { journal, config }: EveSetup<State, Action>,
  round: number,
  programs: readonly Program<Action>[],
): Promise<void> {
  if (await journal.findProposals(round)) return;
  const origin = config.arm === 'templates' ? 'template' : 'challenger';
  const proposals = programs.map(({ request, completion, parsed, outcome }, index): Proposal => {
    const { text, tokens, logprobs } = completion ?? NOTHING;
    return {
      index,
      parentTaskId: request.id,
      parentPassRate: 0,
      origin,
      text,
      tokens,
      logprobs,
      action: parsed.ok ? parsed.value : null,
      outcome:
        outcome.kind === 'valid'
          ? { kind: 'accepted', taskId: outcome.questions[0] as string }
          : { kind: 'rejected', reason: outcome.reason, detail: outcome.detail },
    };
  });
  await journal.recordProposals(round, proposals, [], []);
}
