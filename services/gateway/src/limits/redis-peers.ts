/** Counts the gateways: each announces itself in Redis once a second. Burst limits are divided by their number. */
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { RedisStore } from '@hindsight/stores/redis.ts';

const EVERY_MS = 1_000;
/** A gateway that was silent this long is gone. */
const GONE_MS = 3_000;
/** Rounds after which each of the others has announced itself to a Redis that knew none of them, with one to spare. */
const ROUNDS_TO_GATHER = 2;

/** Forgets those that are gone, notes the caller at the server's own time, says whether it is new, and counts. */
const NOTE = {
  name: 'hindsightNoteGateway',
  keys: 1,
  lua: `
    local now = redis.call('TIME')
    local ms = now[1] * 1000 + math.floor(now[2] / 1000)
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms - ARGV[2])
    local isNew = redis.call('ZADD', KEYS[1], ms, ARGV[1])
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return {isNew, redis.call('ZCARD', KEYS[1])}`,
};
const KEY = 'hindsight:gateways:1';

/**
 * Joins the gateways that share a Redis. While Redis is unavailable, the last number holds. A Redis
 * to which this gateway is new has forgotten others too (emptied, evicting, a replica that lagged): it may only raise the
 * number until all have announced themselves again.
 * @returns how many there are, this one included
 */
export async function joinPeers(redis: RedisStore, id: string, lifecycle: Lifecycle): Promise<() => number> {
  const note = redis.script(NOTE);
  let gateways = 1;
  let gathering = 0;
  const announce = async (): Promise<void> => {
    try {
      const [isNew, count] = (await note([KEY], [id, GONE_MS])) as [number, number];
      gathering = isNew === 1 ? ROUNDS_TO_GATHER : Math.max(gathering - 1, 0);
      if (gathering === 0 || count > gateways) gateways = count;
    } catch {
      // The Redis store logs its own failures.
    }
  };
  await announce();
  const timer = setInterval(() => void announce(), EVERY_MS);
  timer.unref();
  lifecycle.onStop('peers', async () => {
    clearInterval(timer);
    await redis.run((client) => client.zrem(KEY, id)).catch(() => undefined);
  });
  return () => gateways;
}
