/**
 * kafkajs 2.2.4 can stop reading for good without an error and without its CRASH event
 * (https://github.com/tulios/kafkajs/issues/659). A consumer that reads tells of each fetch, also of one that found
 * nothing, twice a second.
 */
import type { Consumer } from 'kafkajs';

/** A watch over one consumer. */
interface ReadingWatch {
  /** Resolves when nothing was fetched for too long while nothing was handled. */
  readonly stoodStill: Promise<Error>;
  /** While a batch is handled nothing has to be fetched. */
  during(work: Promise<void>): Promise<void>;
  end(): void;
}

const LOOKS = 10;

/** Watches a consumer from now on. */
export function watchReading(consumer: Consumer, stillMs: number): ReadingWatch {
  const { FETCH_START, FETCH, GROUP_JOIN } = consumer.events;
  let handling = 0;
  let seenAt = performance.now();
  /** Brokers of which a fetch has not ended, and since when: one that answers must not hide another that does not. */
  const asked = new Map<number, number>();
  const seen = (): void => void (seenAt = performance.now());
  consumer.on(FETCH_START, ({ payload }) => void asked.set(nodeOf(payload), performance.now()));
  consumer.on(FETCH, ({ payload }) => {
    asked.delete(nodeOf(payload));
    seen();
  });
  consumer.on(GROUP_JOIN, () => {
    asked.clear();
    seen();
  });
  let looks: NodeJS.Timeout | undefined;
  const stoodStill = new Promise<Error>((resolve) => {
    looks = setInterval(() => {
      if (handling > 0 || performance.now() - Math.min(seenAt, ...asked.values()) < stillMs) return;
      resolve(new Error(`it has fetched nothing for ${stillMs} ms, and told nothing`));
    }, stillMs / LOOKS).unref();
  });
  return {
    stoodStill,
    async during(work) {
      handling++;
      try {
        await work;
      } finally {
        handling--;
        seen();
        for (const node of asked.keys()) asked.set(node, seenAt);
      }
    },
    end: () => clearInterval(looks),
  };
}

/** kafkajs tells of it, and its types do not. */
function nodeOf(payload: object): number {
  return (payload as { readonly nodeId: number }).nodeId;
}
