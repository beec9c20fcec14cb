/** The body of a request on its way to a service: read as fast as the service takes it, a chunk at a time. */
import { ClientLeft } from '@hindsight/kernel/errors.ts';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

interface Watcher {
  pass(part: Buffer): void;
  complete(): void;
}

export class PassingBody {
  readonly #request: IncomingMessage;
  readonly #watcher: Watcher;
  #readable: Readable | undefined;
  #hasMoved = false;
  #isWaiting = false;

  constructor(request: IncomingMessage, watcher: Watcher) {
    this.#request = request;
    this.#watcher = watcher;
  }

  /** The service wants more, and the client has not sent it yet. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** True if some of it has passed since the last call. */
  hasMoved(): boolean {
    const moved = this.#hasMoved;
    this.#hasMoved = false;
    return moved;
  }

  /** Opens it for the service; again if one could not be reached, so that nothing has passed. */
  open(): Readable {
    const request = this.#request;
    this.stop();
    request.pause();
    const readable = new Readable({
      // One chunk is read ahead, whatever its size.
      highWaterMark: 1,
      read: () => {
        this.#isWaiting = true;
        request.resume();
      },
      destroy: (error, done) => {
        request.off('data', onData).off('end', onEnd).off('close', onClose);
        request.pause();
        this.#isWaiting = false;
        done(error);
      },
    });
    const onData = (part: Buffer): void => {
      this.#hasMoved = true;
      this.#isWaiting = false;
      this.#watcher.pass(part);
      if (!readable.push(part)) request.pause();
    };
    const onEnd = (): void => {
      request.off('close', onClose);
      this.#isWaiting = false;
      this.#watcher.complete();
      readable.push(null);
    };
    const onClose = (): void => void readable.destroy(new ClientLeft());
    request.on('data', onData).once('end', onEnd).once('close', onClose);
    // Its failure is the exchange's, which reports it.
    readable.on('error', () => undefined);
    this.#readable = readable;
    return readable;
  }

  /** Nothing more of it passes. */
  stop(): void {
    this.#readable?.destroy();
  }
}
