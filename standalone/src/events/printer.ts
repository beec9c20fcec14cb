import { HandlerUnavailable } from '@hindsight/bus/errors.ts';
import type { ReceivedEvent } from '@hindsight/bus/port.ts';

interface PrinterOptions {
  /** JSON lines, or lines for people. */
  readonly json: boolean;
  readonly limit: number;
  readonly write: (line: string) => void;
}

/** Prints events until there are enough. */
export interface Printer {
  readonly print: (events: readonly ReceivedEvent[]) => Promise<void>;
  /** Resolves once the limit is reached, and the event at it is taken from its group. */
  readonly done: Promise<void>;
}

/** Creates a printer. */
export function createPrinter({ json, limit, write }: PrinterOptions): Printer {
  const enough = Promise.withResolvers<undefined>();
  let printed = 0;
  return {
    done: enough.promise,
    async print(events) {
      for (const event of events) {
        // Events after the limit stay for the next reader of the group.
        if (printed === limit) throw new HandlerUnavailable('enough has been printed');
        write(json ? `${JSON.stringify(toCloudEvent(event))}\n` : `${forPeople(event)}\n`);
        printed++;
      }
      // The subscription is closed only after this handler has resolved, so the offset moves first.
      if (printed === limit) setImmediate(() => enough.resolve(undefined));
    },
  };
}

/** CloudEvents 1.0 in JSON format, with the position in the log. */
function toCloudEvent({ type, id, source, time, sequence, data, topic, partition, offset }: ReceivedEvent) {
  const at = new Date(time).toISOString();
  const numbered = sequence === undefined ? {} : { sequence };
  return { specversion: '1.0', type, id, source, time: at, ...numbered, data, topic, partition, offset };
}

function forPeople({ type, id, time, partition, offset }: ReceivedEvent): string {
  return `${new Date(time).toISOString()}  ${type}  ${id}  (${partition}/${offset})`;
}
