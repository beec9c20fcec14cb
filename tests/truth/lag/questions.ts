/** Questions to lagging nodes, and the ledger's verdict on their answers. */
import type { LedgerBlock, LedgerChain } from './ledger-chain.ts';
import type { Random } from './random.ts';

/**
 * - `right`: complete, and all is in it
 * - `partial`: it says that it is not complete; its contents are right
 * - `refused`: an error, 502 or 503 or 504; or 404, if the queried nodes have not reached the block
 * - `short`: it says that it is complete, and something is missing
 * - `wrong`: anything else
 */
export type Verdict = 'right' | 'partial' | 'refused' | 'short' | 'wrong';

/** A question, and how its answer is judged. */
export interface Question {
  readonly path: string;
  judge(status: number, body: Fields): Verdict;
}

type Fields = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, string>>;

/** Most questions are about blocks at most this far below the head. */
const NEAR = 4;

/** Draws a question, mostly about the newest blocks and the newcomers in them. */
export function drawQuestion(chain: LedgerChain, random: Random): Question {
  const { head } = chain;
  const block = chain.at(head.number - (random.below(10) < 8 ? random.below(NEAR) : random.below(60)));
  const holder = chain.at(block.number - random.below(NEAR)).newcomer;
  const at = random.below(3) === 0 && block === head ? '' : `&block_height=${block.number}`;
  switch (random.below(3)) {
    case 0:
      return portfolio(chain, holder, at);
    case 1:
      return allowances(chain, holder, at);
    default:
      return changes(chain, random.of(chain.tokens), holder, {
        first: block.number - 1 - random.below(20),
        last: block.number,
      });
  }
}

function portfolio(chain: LedgerChain, holder: string, at: string): Question {
  return {
    path: `portfolio?holder=${holder}${at}`,
    judge: (status, body) =>
      judgeRows(status, () => {
        const { balances } = blockOf(chain, body);
        const rows = (body.tokens as Row[]).map(
          ({ token_address, balance }) => `${token_address} ${balance}`,
        );
        return { rows, truth: heldBy(balances, holder), complete: isComplete(body) };
      }),
  };
}

function allowances(chain: LedgerChain, owner: string, at: string): Question {
  return {
    path: `allowance/list?owner=${owner}${at}`,
    judge: (status, body) =>
      judgeRows(status, () => {
        const truth = [...blockOf(chain, body).allowances]
          .filter(([key, amount]) => key.startsWith(owner) && amount > 0n)
          .map(([key, amount]) => `${key} ${amount}`);
        const rows = (body.allowances as Row[]).map(
          ({ token_address, spender, allowance }) => `${owner} ${token_address} ${spender} ${allowance}`,
        );
        return { rows, truth, complete: isComplete(body) };
      }),
  };
}

/** All changes are by transfers: a change without an event has lost one. */
function changes(
  chain: LedgerChain,
  token: string,
  holder: string,
  { first, last }: { readonly first: number; readonly last: number },
): Question {
  return {
    path: `balance/changes?token_address=${token}&holder=${holder}&from=${first}&to=${last}`,
    judge: (status, body) =>
      judgeRows(status, () => {
        const rows = (body.changes as Row[]).map(
          ({ block_hash, balance_before, balance_after, cause }) =>
            `${block_hash} ${balance_before} ${balance_after} ${cause}`,
        );
        return {
          rows,
          truth: changesUpTo(blockOf(chain, body), first, `${token} ${holder}`),
          complete: body.next === null,
        };
      }),
  };
}

function changesUpTo(end: LedgerBlock, first: number, key: string): string[] {
  const found: string[] = [];
  for (let block = end; block.number > first && block.parent; block = block.parent) {
    const [before, after] = [block.parent, block].map(({ balances }) => balances.get(key) ?? 0n);
    if (before !== after) found.push(`${block.hash} ${before} ${after} transfer`);
  }
  return found;
}

function heldBy(balances: ReadonlyMap<string, bigint>, holder: string): string[] {
  return [...balances]
    .filter(([key, amount]) => key.endsWith(holder) && amount > 0n)
    .map(([key, amount]) => `${key.slice(0, key.indexOf(' '))} ${amount}`);
}

interface Read {
  readonly rows: readonly string[];
  readonly truth: readonly string[];
  readonly complete: boolean;
}

function judgeRows(status: number, read: () => Read): Verdict {
  if ([404, 502, 503, 504].includes(status)) return 'refused';
  if (status !== 200) return 'wrong';
  const { rows, truth, complete } = read();
  const isTrue = rows.every((row) => truth.includes(row)) && new Set(rows).size === rows.length;
  if (isTrue && rows.length === truth.length) return complete ? 'right' : 'partial';
  if (!complete) return isTrue ? 'partial' : 'wrong';
  return rows.length < truth.length || rows.some((row) => row.endsWith('state')) ? 'short' : 'wrong';
}

function blockOf(chain: LedgerChain, { block_hash }: Fields): LedgerBlock {
  const block = chain.byHash(block_hash as string);
  if (!block) throw new Error('the ledger has no such block');
  return block;
}

function isComplete({ asked }: Fields): boolean {
  return (asked as Fields).complete === true;
}
