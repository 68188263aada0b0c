/** The array library as this engine uses it. */
export type Jax = typeof import('@jax-js/jax');

/** A device array. Reference-counted: passing one to any operation gives it away unless `.ref` is passed. */
export type NdArray = import('@jax-js/jax').Array;

/**
 * Loads the array library with its WebAssembly back end. The library looks for a browser's `navigator` when it is
 * imported, which Node 20 lacks, hence the dynamic import.
 */
export async function loadJax(): Promise<Jax> {
  const scope = globalThis as { navigator?: unknown };
  scope.navigator ??= {};
  const jax = await import('@jax-js/jax');
  const devices = await jax.init();
  if (!devices.includes('wasm')) throw new Error('the array library offers no WebAssembly back end here');
  jax.defaultDevice('wasm');
  return jax;
}
