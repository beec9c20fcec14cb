/** Asks again where a busy machine kept the node from answering in time, as clients do. */
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 30;
/** Nodes that could not be reached are tried again by then. */
const PAUSE_MS = 2_000;

interface Late {
  readonly status: number;
  readonly body: unknown;
}

/** The first answer that nothing of which is 503 or 504, the status of parts included; after a minute the last one. */
export async function untilAnswered<T extends Late>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const answer = await ask();
    if (!isLate(answer) || tries === TRIES) return answer;
    await sleep(PAUSE_MS);
  }
}

/** The first answer, be it an error of the node. */
export const askedOnce: typeof untilAnswered = (ask) => ask();

function isLate({ status, body }: Late): boolean {
  return status >= 503 || /"statusCode":50[34]/.test(JSON.stringify(body));
}
