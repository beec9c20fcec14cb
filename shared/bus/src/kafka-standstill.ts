/**
 * kafkajs 2.2.4 can stop reading for good without an error and without its CRASH event
 * (https://github.com/tulios/kafkajs/issues/659). A consumer that reads reports each fetch, including empty ones,
 * twice a second.
 */
import type { Consumer } from 'kafkajs';

interface ReadingWatch {
  /** Resolves when nothing was fetched for too long while nothing was handled. */
  readonly stoodStill: Promise<Error>;
  /** While a batch is handled no fetch is expected. */
  during(work: Promise<void>): Promise<void>;
  end(): void;
}

const LOOKS = 10;

export function watchReading(consumer: Consumer, stillMs: number): ReadingWatch {
  const { FETCH_START, FETCH, GROUP_JOIN } = consumer.events;
  let handling = 0;
  let seenAt = performance.now();
  /** Brokers with a pending fetch, and since when: a broker that answers must not hide another that does not. */
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
      resolve(new Error(`it has fetched nothing for ${stillMs} ms, without an error`));
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

/** kafkajs emits this event, but its types lack it. */
function nodeOf(payload: object): number {
  return (payload as { readonly nodeId: number }).nodeId;
}
