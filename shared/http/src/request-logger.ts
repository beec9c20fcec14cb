import type { Logger } from '@hindsight/kernel/logger.ts';

type LogArguments = Parameters<Logger['info']>;

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/**
 * A request's logger, created on first use: creating one costs more than most of the rest of a request, and most
 * requests log nothing.
 */
class LazyLogger {
  readonly #logger: Logger;
  readonly #bindings: object;
  #child: Logger | undefined;

  static {
    for (const level of LEVELS) {
      const value = function (this: LazyLogger, ...args: LogArguments): void {
        this.#real[level](...args);
      };
      Object.defineProperty(this.prototype, level, { value });
    }
  }

  constructor(logger: Logger, bindings: object) {
    this.#logger = logger;
    this.#bindings = bindings;
  }

  get #real(): Logger {
    return (this.#child ??= this.#logger.child(this.#bindings));
  }

  get level(): string {
    return this.#logger.level;
  }

  child(bindings: object): Logger {
    return this.#real.child(bindings);
  }

  silent(): void {
    // A level like the others, at which nothing is logged.
  }
}

/** The logger of one request, as Fastify's factory makes it. */
export function requestLogger(logger: Logger, bindings: object): Logger {
  return new LazyLogger(logger, bindings) as unknown as Logger;
}
