import type { answerOverHttp, refuseCall } from './http.ts';

/** Modules that each message needs; those that take longest to load have a part of their own. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('@modelcontextprotocol/sdk/types.js'),
  () => import('@modelcontextprotocol/sdk/shared/protocol.js'),
  () => import('@modelcontextprotocol/sdk/validation/ajv'),
  () => import('./tools.ts'),
  () => import('./server.ts'),
];

/**
 * Loads the code that answers messages over HTTP, in parts: loaded at once, it would block the event loop for 100 ms.
 * @param pause lets the server do other work between two parts
 */
export async function loadInParts(
  pause: () => Promise<void>,
): Promise<{ answerOverHttp: typeof answerOverHttp; refuseCall: typeof refuseCall }> {
  for (const load of PARTS) {
    await load();
    await pause();
  }
  return import('./http.ts');
}
