/** The errors of a bus. `MalformedEvent` and `EventTooLarge` come from the envelope. */

import { Fault } from '@hindsight/kernel/errors.ts';

/**
 * The events were not acknowledged in time, or the log refused them. Unless `refused`, some of them may have been
 * written nevertheless: publish them again with the same ids.
 */
export class PublishFailed extends Fault {
  /** The log refused the events, and would refuse them again. */
  readonly refused: boolean;

  constructor(why: string, options: { readonly refused?: boolean; readonly cause?: unknown } = {}) {
    super(`the events were not published: ${why}`, { cause: options.cause });
    this.refused = options.refused ?? false;
  }
}

export class BusClosed extends Fault {
  constructor() {
    super('the bus is closed');
  }
}

/** Another process reads for the group at the moment. */
export class GroupInUse extends Fault {
  constructor(group: string) {
    super(`another process reads for ${group}, or was cut off less than a minute ago`);
  }
}

/**
 * Thrown by a handler when something that it needs is unavailable (a store, a node): the events are not at fault, so
 * they are retried until it is back, and never dead-lettered.
 */
export class HandlerUnavailable extends Fault {}

/**
 * Thrown by a handler that has handled all of its events but some that would fail every time: those are dead-lettered
 * at once, each with its reason, and the batch counts as handled.
 */
export class EventsRefused extends Fault {
  /** Reasons by event, as it was handed to the handler. */
  readonly reasons: ReadonlyMap<unknown, string>;

  constructor(reasons: ReadonlyMap<unknown, string>) {
    const [first = 'no reason'] = reasons.values();
    super(reasons.size === 1 ? first : `${reasons.size} events, the first because ${first}`);
    this.reasons = reasons;
  }
}
