/**
 * The modules that all suites of a process share: those of the project and of its libraries, as Node loads them. They hold
 * nothing of a suite, and what V8 has compiled of them stays compiled. What only tests use is each suite's own.
 */
import type { SyncTransformer, TransformOptions } from '@jest/transform';
import { createHash } from 'node:crypto';
import { createRequire, registerHooks } from 'node:module';

/** Modules with a top-level await: `require`, by which suites get theirs, cannot load what imports one. */
export const WAITING = ['shared/chain/src/keccak.ts', 'services/orders/src/adapters/recover-signer.ts'];

/** By jest's `transform`, a shared module's source calls this global function. */
const NAME = 'hindsightModule';
const require = createRequire(import.meta.url);

/** Loads the modules that have a top-level await, and offers suites all others. */
export async function shareModules(): Promise<void> {
  const waited = new Map<string, object>();
  const ofUrl = (url: string): object => waited.get(url) ?? (require(url) as object);
  Object.assign(globalThis, { [NAME]: ofUrl });
  // Whatever imports one of them later gets a module that does not wait.
  registerHooks({
    load: (url, context, next) =>
      waited.has(url)
        ? { format: 'module', shortCircuit: true, source: codeOf(ofUrl(url), url, true) }
        : next(url, context),
  });
  for (const path of WAITING) {
    const url = new URL(`../${path}`, import.meta.url).href;
    waited.set(url, (await import(`${url}?waited`)) as object);
  }
  await makeLastingTimers();
}

/**
 * Has undici, and Node's own copy of it, make the timer that each keeps for all its limits of time. Made on a suite's own clock,
 * it would never run again, and no request of a later suite would end in time.
 */
async function makeLastingTimers(): Promise<void> {
  const timers = require('undici/lib/util/timers.js') as {
    readonly setFastTimeout: (callback: () => void, ms: number) => unknown;
    readonly clearFastTimeout: (timer: unknown) => void;
  };
  timers.clearFastTimeout(timers.setFastTimeout(() => undefined, 10_000));
  await fetch('http://127.0.0.1:2').catch(() => undefined);
}

/** Source that has the exports of a loaded module. */
function codeOf(module: object, name: string, isEsm: boolean): string {
  const got = `${NAME}(${JSON.stringify(name)})`;
  if (!isEsm) return `module.exports = ${got};`;
  const exports = Object.keys(module).filter((key) => key !== 'module.exports');
  return [
    `const got = ${got};`,
    ...exports.map((key, i) => `const v${i} = got.${key}; export { v${i} as ${key} };`),
  ].join('\n');
}

function codeFor(
  source: string,
  path: string,
  { supportsDynamicImport, supportsStaticESM }: TransformOptions,
): string {
  // jest loads its own set-up by the same transform, and then Node does all that is needed.
  return supportsDynamicImport ? codeOf(require(path) as object, path, supportsStaticESM) : source;
}

const transformer: SyncTransformer = {
  getCacheKey: (...given) =>
    createHash('sha256')
      .update(codeFor(...given))
      .digest('hex'),
  process: (...given) => ({ code: codeFor(...given) }),
};
export default transformer;
