/**
 * Loads the module that has a top-level await once in a process of tests, as Node loads it, for all its suites: it holds
 * nothing of theirs. jest would compile and resolve each module that imports it again for every path of imports that leads
 * there, which doubles the processor time that a suite of a service takes to load.
 */
import * as keccak from '@hindsight/chain/keccak.ts';

const NAME = 'hindsightKeccak';

/** Gives a suite's globals the module. It is read, not stored: jest spoils what is stored there once the suite ends. */
export function shareLoaded(globals: object): void {
  Object.defineProperty(globals, NAME, { get: () => keccak });
}

/** For jest's `transform`: the module's source becomes this. */
export default {
  process: (): { readonly code: string } => ({
    code: `export const { ${Object.keys(keccak).join(', ')} } = ${NAME};`,
  }),
};
