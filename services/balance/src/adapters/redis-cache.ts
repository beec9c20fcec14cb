import type { Logger } from '@hindsight/kernel/logger.ts';
import type { RedisStore } from '@hindsight/stores/redis.ts';
import type { AnswerCache } from '../ports.ts';
import { quietlyWith } from './quietly.ts';

const PREFIX = 'hindsight:answer:1:';
/** The answers never become stale; they expire when unused for this long, so that they take no month's worth of memory. */
const KEPT_SECONDS = 86_400;

/** Answers kept in Redis, for all instances. Without Redis they are read from the chain: slower, never wrong. */
export function createRedisCache(redis: RedisStore, logger: Logger): AnswerCache {
  const quietly = quietlyWith(logger, 'the answer cache');
  return {
    async get(key) {
      const answer = await quietly(() =>
        redis.run((client) => client.getex(PREFIX + key, 'EX', KEPT_SECONDS)),
      );
      return answer ?? undefined;
    },
    async set(key, answer) {
      await quietly(() => redis.run((client) => client.set(PREFIX + key, answer, 'EX', KEPT_SECONDS)));
    },
  };
}
