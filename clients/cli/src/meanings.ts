/** `--each`: a name that moved is resolved at the block of each row, and each row names its holder. */

import type { ChangesPage } from '@hindsight/client';

/** The option, where it was given. */
export type Each = true | undefined;

/** The option, as the API takes it. */
export function resolveOf(each: Each): 'once' | 'each' {
  return each ? 'each' : 'once';
}

/** The column before those of every row. */
export function holderColumn(each: Each): readonly string[] {
  return each ? ['holder'] : [];
}

/** A row of an answer: null where the name had no address; none where an address was asked for. */
interface Meant {
  readonly holder?: string | null;
}

/** The cell of that column: the address that the name meant, or the one that was asked for. */
export function holderCell(each: Each, { holder }: Meant, asked: string): readonly string[] {
  return each ? [holder === undefined ? asked : (holder ?? '')] : [];
}

/** The address that a name meant, behind the rest of a line. */
export function holderNote({ holder }: Meant): string {
  return holder ? `, ${holder}` : '';
}

/** The addresses that a name meant, for a person; undefined where it did not move. */
export function movesOf(name: string, meanings: ChangesPage['meanings']): string | undefined {
  const meant = (meanings ?? []).filter(({ holder }) => holder !== null);
  if (meant.length < 2) return undefined;
  const each = meant.map(
    ({ holder, from_block, through_block }) => `${holder} in blocks ${from_block} to ${through_block}`,
  );
  return `${name} moved, which is no movement of funds: it meant ${each.join(', then ')}`;
}
