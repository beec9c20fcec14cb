import type { Clock } from '@hindsight/kernel/clock.ts';
import { getShort } from './short-answers.ts';

interface Deps {
  /** The gateway's URL for this process. */
  readonly gatewayUrl: string;
  readonly path: string;
  readonly key: string;
  readonly clock: Clock;
}

/** A page does not wait longer for it. */
const WAIT_MS = 1_000;
/** After a failure. */
const AGAIN_AFTER_MS = 30_000;
const MAX_CHARS = 4_000;

/**
 * The gateway's answer to an example, as indented JSON: fetched once and kept. Null until it succeeds. Never
 * throws.
 */
export function createExampleAnswer({ gatewayUrl, path, key, clock }: Deps): () => Promise<string | null> {
  let answer: Promise<string | null> | undefined;
  let askAgainAt = Infinity;
  return () => {
    if (answer === undefined || clock.now() >= askAgainAt) {
      askAgainAt = Infinity;
      answer = ask(gatewayUrl + path, key).catch(() => {
        askAgainAt = clock.now() + AGAIN_AFTER_MS;
        return null;
      });
    }
    return answer;
  };
}

async function ask(url: string, key: string): Promise<string> {
  const bounds = { waitMs: WAIT_MS, maxChars: MAX_CHARS };
  const { status, text } = await getShort(url, { headers: { 'x-api-key': key }, ...bounds });
  if (status !== 200) throw new Error(`the example was answered with ${status}`);
  return JSON.stringify(JSON.parse(text), null, 2);
}
