import type { Logger } from '@hindsight/kernel/logger.ts';

/** Goes on where a store cannot be used: what it would have given is read again, slower and never wrong. @param what the store's part */
export function quietlyWith(logger: Logger, what: string) {
  return async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (err) {
      logger.debug({ err }, `${what} could not be used`);
      return undefined;
    }
  };
}
