/** Server-sent events on their way through the gateway: cut at their borders, and told by their ids. */

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

/** Cuts a stream into blocks of whole events. */
export class EventBlocks {
  /** The beginning of an event whose rest has not come. */
  #begun: Buffer = NOTHING;

  /** @returns all that is whole now; undefined if nothing is */
  push(chunk: Buffer): EventBlock | undefined {
    const all = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk]);
    const border = all.lastIndexOf(BORDER);
    const end = border < 0 ? 0 : border + BORDER.length;
    this.#begun = all.subarray(end);
    return end === 0 ? undefined : toBlock(all.subarray(0, end));
  }
}

/** The events of a block behind one of them. @param sequence number of that one, from the same source */
export function eventsBehind(bytes: Buffer, sequence: number): Buffer {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(BORDER, at) + BORDER.length;
    const { ids } = toBlock(bytes.subarray(at, end));
    if (ids !== undefined && ids.first.sequence > sequence) return bytes.subarray(at);
    at = end;
  }
  return NOTHING;
}

function toBlock(bytes: Buffer): EventBlock {
  const first = bytes.indexOf(ID) === 0 ? 0 : bytes.indexOf(`\n${ID}`) + 1;
  const last = Math.max(bytes.lastIndexOf(`\n${ID}`) + 1, first);
  const ids = [idAt(bytes, first), idAt(bytes, last)] as const;
  return { bytes, ids: ids[0] && ids[1] && { first: ids[0], last: ids[1] } };
}

/** The id of a line; undefined if the line has none of ours. */
function idAt(bytes: Buffer, at: number): EventId | undefined {
  const line = bytes.toString('latin1', at, bytes.indexOf('\n', at));
  const found = /^id: (?<source>.+):(?<sequence>\d{1,15})$/.exec(line)?.groups;
  return found && { source: found.source!, sequence: Number(found.sequence) };
}
