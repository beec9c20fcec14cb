import { ConnectionError, InvalidAnswer } from '../errors.ts';
import { parsed } from '../ndjson.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams } from '../when.ts';
import { tokenParams, type HeldQuestion } from './holders.ts';

/** The facts about a file: the block, what is indexed, counts and sums, and where the list goes on. */
export type HolderFileFacts = components['schemas']['HolderFileFacts'];

/** A token, a block, and a part of its holders. */
export interface HoldersFileQuestion extends HeldQuestion {
  /** Only holders after this address. */
  readonly after?: string | undefined;
  /** The most addresses that are read. Default: 1,000,000 */
  readonly limit?: number | undefined;
}

/** A Parquet file. Its bytes can be read once. */
export interface HoldersFile {
  readonly facts: HolderFileFacts;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * The holders of a token at one block as a Parquet file. It is the whole list if `next` of the facts is null; else the
 * next file begins after that address, at the same `block_hash`.
 */
export async function holdersFile(transport: Transport, question: HoldersFileQuestion): Promise<HoldersFile> {
  const { after, limit, signal } = question;
  return transport.retried(signal, async (attempt) => {
    const head: { facts?: string | null } = {};
    const parts = transport.stream(
      {
        method: 'POST',
        path: transport.pathTo('exportTokenHolders'),
        query: { ...tokenParams(question), ...whenParams(question), after, limit },
        accept: 'application/vnd.apache.parquet, application/json',
        onHeaders: (headers) => (head.facts = headers.get('x-holders-facts')),
        signal,
      },
      attempt,
    );
    try {
      const first = await parts.next();
      if (!head.facts || first.done) throw new InvalidAnswer('the answer is no file of holders');
      return {
        facts: parsed<HolderFileFacts>(head.facts, 'x-holders-facts'),
        bytes: joined(first.value, parts),
      };
    } catch (error) {
      // An answer that is left unread stays open.
      await parts.return();
      throw error;
    }
  });
}

/** The last bytes of every Parquet file. */
const END = 'PAR1';

/** @throws {ConnectionError} where the file has no end: a proxy may end half an answer as a whole one */
async function* joined(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  let end: readonly number[] = [];
  const noted = (part: Uint8Array): Uint8Array => {
    end = [...end, ...part.slice(-END.length)].slice(-END.length);
    return part;
  };
  try {
    yield noted(first);
    for await (const part of rest) yield noted(part);
  } finally {
    // A file that is left at its first part leaves its answer as well.
    await rest.return();
  }
  if (String.fromCharCode(...end) !== END) throw new ConnectionError('the answer was cut');
}
