/**
 * Streams without end: read from their service once for all followers of this gateway. Each follower begins with a stream of
 * its own, which answers it and brings it up to date; it switches to the shared one at an event that both have, and falls back
 * to one of its own when that ends or has left it behind. All that a follower sees of this are fewer, larger writes, and its
 * position again.
 */
import { STREAM_HEADER } from '@hindsight/http/stream-name.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { INTERNAL_PREFIX } from '../domain/headers.ts';
import { EventBlocks, type EventId } from './event-blocks.ts';
import { SharedStream, type Follower } from './shared-stream.ts';
import type { Exchange, Upstream, UpstreamRequest, UpstreamSink } from './upstream.ts';

/** Latest events that are kept for followers that are a little behind, over all shared streams. */
const KEPT_BYTES = 16 * 1024 * 1024;
const RESUME_HEADER = 'last-event-id';

type SharedStreamOf = (name: string, request: UpstreamRequest) => SharedStream;

/** Shares the streams that a service names with `STREAM_HEADER`; all else passes unchanged. */
export function shareStreams(upstream: Upstream, keptBytes = KEPT_BYTES): Upstream {
  const streams = new Map<string, SharedStream>();
  const streamOf: SharedStreamOf = (name, request) => {
    const known = streams.get(name);
    if (known !== undefined) return known;
    const stream = new SharedStream({
      upstream,
      request: requestAfter(request),
      name,
      room: () => keptBytes / streams.size,
      onOver: () => void streams.delete(name),
    });
    streams.set(name, stream);
    stream.open();
    return stream;
  };
  return {
    dispatch: (request, sink) =>
      request.endless && request.method === 'GET'
        ? new Following(upstream, streamOf, request, sink)
        : upstream.dispatch(request, sink),
    close: () => upstream.close(),
  };
}

/** Asks for the stream after an event, or from now on, for no client in particular. */
function requestAfter({ path, headers, ...request }: UpstreamRequest, event?: EventId): UpstreamRequest {
  const internal = headers.filter((_, at) => headers[at - (at % 2)]!.startsWith(INTERNAL_PREFIX));
  const resumed = event === undefined ? [] : [RESUME_HEADER, `${event.source}:${event.sequence}`];
  return { ...request, path: path.split('?', 1)[0]!, headers: [...internal, ...resumed] };
}

interface OwnStream {
  readonly blocks: EventBlocks;
  exchange: Exchange | undefined;
}

/** One follower: it has a stream of its own, or shares one. */
class Following implements Exchange, Follower {
  readonly #upstream: Upstream;
  readonly #streamOf: SharedStreamOf;
  readonly #request: UpstreamRequest;
  readonly #sink: UpstreamSink;
  #own: OwnStream | undefined;
  #shared: SharedStream | undefined;
  /** Of its answer; undefined if it cannot be shared. */
  #name: string | undefined;
  /** The last event that was passed on. */
  #at: EventId | undefined;
  /** Number of the event after which it last fell back to a stream of its own, while nothing has come since. */
  #fellBackAt: number | undefined;
  #hasBegun = false;
  #isFull = false;
  #isOver = false;

  constructor(upstream: Upstream, streamOf: SharedStreamOf, request: UpstreamRequest, sink: UpstreamSink) {
    this.#upstream = upstream;
    this.#streamOf = streamOf;
    this.#request = request;
    this.#sink = sink;
    this.#open(request);
  }

  resume(): void {
    if (this.#isOver) return;
    this.#isFull = false;
    if (this.#own) {
      this.#own.exchange?.resume();
      this.#join();
    } else this.#follow();
  }

  cancel(reason: Error): void {
    if (this.#isOver) return;
    this.#drop(reason);
    this.#leave();
    this.#sink.fail(reason);
  }

  advance(): void {
    if (this.#isFull || this.#isOver) return;
    if (this.#own) this.#join();
    else this.#follow();
  }

  comment(bytes: Buffer): void {
    if (this.#own || this.#isFull) return;
    this.#fellBackAt = undefined;
    this.#pass(bytes);
  }

  over(): void {
    this.#shared = undefined;
    if (!this.#own && !this.#isFull && !this.#isOver) this.#follow();
  }

  #open(request: UpstreamRequest): void {
    const own: OwnStream = { blocks: new EventBlocks(), exchange: undefined };
    this.#own = own;
    const ifOwn = <T extends unknown[]>(act: (...args: T) => void) => {
      return (...args: T): void => {
        if (this.#own === own && !this.#isOver) act(...args);
      };
    };
    const isResumed = this.#hasBegun;
    own.exchange = this.#upstream.dispatch(request, {
      head: ifOwn((statusCode: number, headers: IncomingHttpHeaders) => this.#begin(statusCode, headers)),
      data: (chunk) => this.#own !== own || this.#isOver || this.#take(own, chunk),
      end: ifOwn(() => this.#end()),
      // All that was passed on is whole: its client goes on after that.
      fail: ifOwn((error: Error) => this.#end(isResumed ? undefined : error)),
    });
  }

  #begin(statusCode: number, headers: IncomingHttpHeaders): void {
    const name = statusCode === 200 ? headers[STREAM_HEADER] : undefined;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#name = typeof name === 'string' ? name : undefined;
      this.#sink.head(statusCode, headers);
    } else if (name !== this.#name) {
      this.#drop(new Error('its service has another stream now'));
      this.#end();
    }
    this.#enter();
  }

  #enter(): void {
    if (this.#name === undefined || this.#isOver) return;
    this.#shared = this.#streamOf(this.#name, this.#request);
    this.#shared.enter(this);
  }

  /** From its own stream. @returns false if its client is full */
  #take(own: OwnStream, chunk: Buffer): boolean {
    if (this.#name === undefined) return this.#sink.data(chunk);
    const block = own.blocks.push(chunk);
    if (block === undefined) return true;
    this.#at = block.ids?.last ?? this.#at;
    this.#pass(block.bytes);
    // The shared stream may be over, or could not be opened.
    if (this.#shared === undefined) this.#enter();
    if (!this.#isFull) this.#join();
    return !this.#isFull;
  }

  /** Switches to the shared stream, if that has all that follows. */
  #join(): void {
    if (this.#at === undefined || this.#shared?.covers(this.#at) !== true) return;
    this.#drop(new Error('its follower shares a stream'));
    this.#follow();
  }

  /** Passes on what the shared stream has; where that cannot go on, a stream of its own does. */
  #follow(): void {
    const shared = this.#shared;
    let at = this.#at!;
    if (shared?.covers(at) !== true) return this.#fallBack(at);
    while (!this.#isFull && !this.#isOver) {
      const part = shared.after(at.sequence);
      if (part === undefined) return;
      this.#at = at = { ...at, sequence: part.upTo };
      this.#pass(part.bytes);
    }
  }

  #fallBack(at: EventId): void {
    // A service that ends its streams at once would be asked without a pause: clients make one.
    if (at.sequence === this.#fellBackAt) return this.#end();
    this.#fellBackAt = at.sequence;
    this.#open(requestAfter(this.#request, at));
  }

  /** Cancels its own stream, of which nothing more is heard. */
  #drop(reason: Error): void {
    const own = this.#own;
    this.#own = undefined;
    own?.exchange?.cancel(reason);
  }

  #pass(bytes: Buffer): void {
    this.#isFull = !this.#sink.data(bytes);
  }

  #end(error?: Error): void {
    this.#leave();
    if (error) this.#sink.fail(error);
    else this.#sink.end();
  }

  #leave(): void {
    this.#isOver = true;
    this.#shared?.leave(this);
  }
}
