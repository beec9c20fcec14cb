/** The holders of a token as they are read: addresses come from the index, their balances from the balance service. */
import { toChecksum } from '@hindsight/chain/address.ts';

import type { HolderEnd, HolderFacts, HolderFormat, IndexedBlocks } from '../domain/holder-list.ts';
import { NOBODY, type SnapshotLine } from './balance-answers.ts';

interface StreamDeps {
  readonly snapshot: AsyncIterable<SnapshotLine>;
  readonly format: HolderFormat;
  readonly index: IndexedBlocks;
  /** The fields that are known before the balances. */
  readonly end: Pick<HolderEnd, 'read' | 'total_supply' | 'next' | 'units'>;
}

/** Characters that are written at once. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * The text of the answer, piece by piece.
 * @throws {Error} where the balances break off: then the answer has no end
 */
export async function* writeHolders({ snapshot, format, index, end }: StreamDeps): AsyncGenerator<string> {
  let [piece, holders, errors, sum, isWhole] = ['', 0, 0, 0n, false];
  let isOwned = false;
  for await (const line of snapshot) {
    if (line.record === 'facts') {
      const facts = factsOf(line, index);
      isOwned = facts.token_type === 'erc721';
      piece += format.write(facts);
    } else if (line.record === 'end') isWhole = true;
    // Of no token with holders, one address was asked about that is none.
    else if (end.read === 0) continue;
    else if (line.record === 'error') {
      // Mints and burns name the zero address, which owns none: EIP-721 has its balance revert.
      if (isOwned && line.holder === NOBODY && line.error.statusCode < 500) continue;
      errors += 1;
      piece += format.write({ record: 'error', holder: toChecksum(line.holder), error: line.error });
    } else if (line.balance !== '0') {
      holders += 1;
      sum += BigInt(line.balance);
      piece += format.write({ record: 'holder', holder: line.holder, balance: line.balance });
    }
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (!isWhole) throw new Error('the balances broke off');
  yield piece + format.write({ record: 'end', holders, errors, sum: sum.toString(), ...end });
}

type Facts = Extract<SnapshotLine, { record: 'facts' }>;

function factsOf({ tokens: [token], ...block }: Facts, index: IndexedBlocks): HolderFacts {
  if (token === undefined) throw new TypeError('a snapshot is about a token');
  return { ...block, ...token, index };
}
