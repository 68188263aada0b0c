import { InterruptedError } from '../core/errors.js';
import type { SafePoint } from '../core/ports.js';

/** Ctrl-C as a run hears it. */
export interface Interrupts {
  /** Throws an InterruptedError once the user asked to stop. */
  readonly safePoint: SafePoint;
  /** Whether the user asked to stop. */
  asked(): boolean;
  /** Listens no more. */
  release(): void;
}

/** Exit code of a run that was stopped by Ctrl-C. */
export const INTERRUPTED = 130;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first Ctrl-C (or SIGTERM, or a terminal that is closed) asks to stop at the next safe point and calls `onAsk`; the second
 * ends the process at once.
 */
export function listenForInterrupts(
  say: (line: string) => void,
  onAsk: () => void = () => undefined,
): Interrupts {
  let asked = false;
  const onSignal = (): void => {
    if (asked) process.exit(INTERRUPTED);
    asked = true;
    say('stopping at the next safe point (Ctrl-C again stops at once; nothing recorded is lost either way)');
    onAsk();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    safePoint() {
      if (asked) throw new InterruptedError('stopped');
    },
    asked: () => asked,
    release() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
