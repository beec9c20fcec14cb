/** Server-sent events on their way through the gateway: split where one ends, and identified by their ids. */

/** The id of an event: where it comes from, and its number there. */
export interface EventId {
  readonly source: string;
  readonly sequence: number;
}

/** Whole events, and comments between them. */
export interface EventBlock {
  readonly bytes: Buffer;
  /** Ids of the first and of the last event that has one; undefined if none has. */
  readonly ids: { readonly first: EventId; readonly last: EventId } | undefined;
}

const BORDER = '\n\n';
const ID = 'id: ';
const NOTHING = Buffer.alloc(0);

/** Splits a stream into blocks of whole events. */
export class EventBlocks {
  /** The beginning of an event whose rest has not come. */
  #begun: Buffer = NOTHING;

  /** @returns all that is whole now; undefined if nothing is */
  push(chunk: Buffer): EventBlock | undefined {
    const all = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk]);
    const border = all.lastIndexOf(BORDER);
    const end = border < 0 ? 0 : border + BORDER.length;
    this.#begun = all.subarray(end);
    if (end === 0) return undefined;
    const bytes = all.subarray(0, end);
    return { bytes, ids: idsIn(bytes) };
  }
}

/** The events of a block after one of them. @param sequence number of that one, from the same source */
export function eventsAfter(bytes: Buffer, sequence: number): Buffer {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(BORDER, at) + BORDER.length;
    const ids = idsIn(bytes.subarray(at, end));
    if (ids !== undefined && ids.first.sequence > sequence) return bytes.subarray(at);
    at = end;
  }
  return NOTHING;
}

function idsIn(bytes: Buffer): EventBlock['ids'] {
  const begin = bytes.indexOf(`\n${ID}`) + 1;
  const first = idAt(bytes, 0) ?? idAt(bytes, begin);
  const last = idAt(bytes, bytes.lastIndexOf(`\n${ID}`) + 1);
  return first && last && { first, last };
}

/** The id of a line; undefined if the line has none of ours. */
function idAt(bytes: Buffer, at: number): EventId | undefined {
  const line = bytes.toString('latin1', at, bytes.indexOf('\n', at));
  const found = /^id: (?<source>.+):(?<sequence>\d{1,15})$/.exec(line)?.groups;
  return found && { source: found.source!, sequence: Number(found.sequence) };
}
