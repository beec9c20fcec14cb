/** Tokens that lacked a name are looked at again. */
import type { FinalizedBlock } from '@hindsight/indexing/finalized-logs.ts';
import { fillNames, lacksNames, nextLook } from '../domain/token.ts';
import type { Checkpoint, DueToken, NewLook } from '../ports.ts';
import type { PreparerDeps } from './prepare-range.ts';

/** Tokens per pass, few enough that nothing else waits long. */
const AT_ONCE = 50;

/** Looks at what is due at the finalized block, a bounded number of tokens. Resolves to the new checkpoint. */
export async function lookAgain(
  { index, judge, lookAgainAfter }: PreparerDeps,
  base: Checkpoint,
  at: FinalizedBlock,
  signal: AbortSignal,
): Promise<Checkpoint> {
  const due = await index.due(at.timestamp, AT_ONCE);
  if (due.length === 0) return base;
  const found = await Promise.all(due.map(({ token }) => judge.names(at, token.address, signal)));
  const looks = due.map(({ token, looks }: DueToken, i): NewLook => {
    const names = fillNames(token, found[i] ?? token);
    const lookAt = lacksNames(names) ? nextLook(looks + 1, at.timestamp, lookAgainAfter) : null;
    return { address: token.address, names, lookAt };
  });
  return index.noteLooks(base, looks);
}
