import { STREAM_HEADER } from '@hindsight/http/stream-name.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { EventBlocks, eventsAfter, type EventBlock, type EventId } from './event-blocks.ts';
import type { Exchange, Upstream, UpstreamRequest, UpstreamSink } from './upstream.ts';

export interface Follower {
  /** More events have come. */
  advance(): void;
  /** A comment has come, which keeps connections alive. */
  comment(bytes: Buffer): void;
  /** No more events come. */
  over(): void;
}

interface SharedStreamDeps {
  readonly upstream: Upstream;
  /** Opens it at the position of its service. */
  readonly request: UpstreamRequest;
  readonly name: string;
  /** Bytes of its latest events that it may keep. */
  readonly room: () => number;
  /** Called once: it has no more followers, or no more events. */
  readonly onOver: () => void;
}

/** Events after one and up to another. */
interface Part {
  readonly begin: number;
  readonly upTo: number;
  readonly bytes: Buffer;
}

/** A stream of events that is read once for all of its followers, with its latest events for those that are a little behind. */
export class SharedStream implements UpstreamSink {
  readonly #deps: SharedStreamDeps;
  readonly #followers = new Set<Follower>();
  readonly #blocks = new EventBlocks();
  /** One after another, without a gap; undefined until the stream has told its position. */
  #latest: { readonly source: string; from: number; readonly parts: Part[] } | undefined;
  #bytes = 0;
  #exchange: Exchange | undefined;
  #isOver = false;

  constructor(deps: SharedStreamDeps) {
    this.#deps = deps;
  }

  open(): void {
    this.#exchange = this.#deps.upstream.dispatch(this.#deps.request, this);
  }

  enter(follower: Follower): void {
    if (this.#isOver) follower.over();
    else this.#followers.add(follower);
  }

  /** The last to leave ends it. */
  leave(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.#end(new Error('its last follower left'));
  }

  /** True if all events after this one are kept, or to come. */
  covers({ source, sequence }: EventId): boolean {
    return this.#latest?.source === source && sequence >= this.#latest.from;
  }

  /** The next of the kept events; undefined if none is newer. @param sequence of an event that it covers */
  after(sequence: number): Omit<Part, 'begin'> | undefined {
    const part = this.#latest?.parts.findLast(({ begin }) => begin <= sequence);
    if (part === undefined || part.upTo <= sequence) return undefined;
    return part.begin === sequence ? part : { ...part, bytes: eventsAfter(part.bytes, sequence) };
  }

  head(statusCode: number, headers: IncomingHttpHeaders): void {
    // Another instance of its service may have other settings.
    if (statusCode !== 200 || headers[STREAM_HEADER] !== this.#deps.name)
      this.#end(new Error('it is not the stream that was asked for'));
  }

  data(chunk: Buffer): boolean {
    const block = this.#isOver ? undefined : this.#blocks.push(chunk);
    if (block === undefined) return true;
    if (block.ids !== undefined) this.#keep(block.bytes, block.ids);
    else {
      // Its room is less where other streams have begun.
      this.#trim();
      for (const follower of this.#followers) follower.comment(block.bytes);
    }
    return true;
  }

  end(): void {
    this.#end();
  }

  fail(): void {
    this.#end();
  }

  #keep(bytes: Buffer, { first, last }: NonNullable<EventBlock['ids']>): void {
    // It begins with its position: the id of no event.
    const { parts, from, source } = (this.#latest ??= {
      source: first.source,
      from: first.sequence,
      parts: [],
    });
    if (last.source !== source) return this.#end(new Error('its service has another source'));
    const begin = parts.at(-1)?.upTo ?? from;
    const added = parts.length === 0 ? eventsAfter(bytes, from) : bytes;
    if (added.length > 0) parts.push({ begin, upTo: last.sequence, bytes: added });
    this.#bytes += added.length;
    this.#trim();
    for (const follower of this.#followers) follower.advance();
  }

  /** The last part stays: followers that are up to date are about to get it. */
  #trim(): void {
    const latest = this.#latest;
    while (latest !== undefined && latest.parts.length > 1 && this.#bytes > this.#deps.room()) {
      const { upTo, bytes } = latest.parts.shift()!;
      latest.from = upTo;
      this.#bytes -= bytes.length;
    }
  }

  #end(cancelled?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deps.onOver();
    if (cancelled) this.#exchange?.cancel(cancelled);
    const followers = [...this.#followers];
    this.#followers.clear();
    for (const follower of followers) follower.over();
  }
}
