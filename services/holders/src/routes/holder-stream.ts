/** The holders of a token as they are read: addresses come from the index, their balances from the balance service. */
import { toChecksum } from '@hindsight/chain/address.ts';
import type { HolderEnd, HolderFacts, HolderFormat } from '../domain/holder-list.ts';
import { isNobodys, type AmountLine } from './amounts.ts';

interface StreamDeps {
  readonly facts: HolderFacts;
  readonly lines: AsyncIterable<AmountLine>;
  readonly format: HolderFormat;
  /** The fields that are known before the balances. */
  readonly end: Pick<HolderEnd, 'read' | 'total_supply' | 'next' | 'units'>;
}

/** Characters that are written at once. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * The text of the answer, piece by piece.
 * @throws {Error} where the balances break off: then the answer has no end
 */
export async function* writeHolders({ facts, lines, format, end }: StreamDeps): AsyncGenerator<string> {
  let [piece, holders, errors, sum] = [format.write(facts), 0, 0, 0n];
  for await (const line of lines) {
    if ('error' in line) {
      if (isNobodys(line, facts.token_type)) continue;
      errors += 1;
      piece += format.write({ record: 'error', holder: toChecksum(line.holder), error: line.error });
    } else if (line.balance !== '0') {
      holders += 1;
      sum += BigInt(line.balance);
      piece += format.write({ record: 'holder', holder: toChecksum(line.holder), balance: line.balance });
    }
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece + format.write({ record: 'end', holders, errors, sum: sum.toString(), ...end });
}
