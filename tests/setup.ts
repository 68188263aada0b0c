import fc from 'fast-check';

/** Property tests draw the same cases in every run, so that a red test stays red; FC_SEED=random draws others. */
const seed = process.env['FC_SEED'];
if (seed !== 'random') fc.configureGlobal({ seed: seed === undefined ? 20261201 : Number(seed) });
