/** What a bus tells its users by throwing. `MalformedEvent` and `EventTooLarge` come from the envelope. */

/**
 * The events were not acknowledged in time, or the log refused them. Unless `refused`, some of them may have been
 * written nevertheless: publish them again with the same ids.
 */
export class PublishFailed extends Error {
  override readonly name = 'PublishFailed';
  /** The log said no: the same events would be refused again. */
  readonly refused: boolean;

  constructor(why: string, options: { readonly refused?: boolean; readonly cause?: unknown } = {}) {
    super(`the events were not published: ${why}`, { cause: options.cause });
    this.refused = options.refused ?? false;
  }
}

/** The bus was closed before the work was done. */
export class BusClosed extends Error {
  override readonly name = 'BusClosed';

  constructor() {
    super('the bus is closed');
  }
}

/**
 * Thrown by a handler when something that it needs is away (a store, a node): the events are not at fault, so they
 * are tried again until it is back and are never dead-lettered.
 */
export class HandlerUnavailable extends Error {
  override readonly name = 'HandlerUnavailable';
}
