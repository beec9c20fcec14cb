import type { answerOverHttp, refuseCall } from './http.ts';

/** Modules that each message needs, the dearest ones apart. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('@modelcontextprotocol/sdk/types.js'),
  () => import('@modelcontextprotocol/sdk/shared/protocol.js'),
  () => import('@modelcontextprotocol/sdk/validation/ajv'),
  () => import('./tools.ts'),
  () => import('./server.ts'),
];

/**
 * Loads what answers messages over HTTP, for a server that has other work too: at once it would be held up for 100 ms.
 * @param pause lets the server work between two parts
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
