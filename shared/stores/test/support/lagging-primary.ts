/**
 * A primary that was just elected, simulated: it executes writes on the newest data, while its reads show
 * none of them until a client asks for the data after a given time (`afterClusterTime`). The test server has
 * neither sessions nor members; the proxy pretends to clients that it has sessions.
 */
import type { Intercept } from '@hindsight/tools/servers/mongodb-proxy.ts';
import { Long, Timestamp, type Document } from 'mongodb';

const READS = new Set(['find', 'aggregate', 'count']);
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify']);
const GREETINGS = new Set(['hello', 'ismaster', 'isMaster']);

/** Lags from the first write on. */
export function laggingPrimary(): Intercept {
  let time = 0;
  let lastWrite = 0;
  /** Earlier answer to each question. */
  const seen = new Map<string, Document>();
  return async ({ name, body }, forward) => {
    if (GREETINGS.has(name)) return { ...(await forward()), logicalSessionTimeoutMinutes: 30 };
    const at = ++time;
    if (WRITES.has(name)) lastWrite = at;
    const { afterClusterTime } = (body.readConcern ?? {}) as { readonly afterClusterTime?: Timestamp };
    const { filter, query, pipeline } = body;
    const question = JSON.stringify([name, body[name], filter, query, pipeline]);
    if (READS.has(name) && (afterClusterTime?.getLowBits() ?? 0) < lastWrite)
      return (
        seen.get(question) ?? {
          cursor: { id: Long.ZERO, ns: `x.${String(body[name])}`, firstBatch: [] },
          ok: 1,
        }
      );
    const answer = { ...(await forward()), operationTime: new Timestamp({ t: 1, i: at }) };
    seen.set(question, answer);
    return answer;
  };
}
