import type { BookedRow, Reconciliation } from '@hindsight/client';
import type { Command } from 'commander';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { dim, openClient, print, printJson, type Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { openInput } from '../input.ts';
import { noteFinality, parseEnd } from '../range.ts';
import { resolveToken } from '../token.ts';

const MAX_ROWS = 1_000;
/** A byte order mark may begin the first one. */
const ROW = /^\ufeff?"?([^",]+)"?,"?(\d{1,78})"?\s*$/;
/** No header begins with a digit. */
const BEGUN_ROW = /^[\s"]*\d/;

/** `hindsight reconcile USDC treasury.eth books.csv` */
export function reconcileCommand(program: Command, context: Context): void {
  program
    .command('reconcile')
    .description('hold booked balances against the chain, and find where they first differ')
    .argument('<token>', 'an address, a symbol that is unique, or native')
    .argument('<holder>', 'an address or an ENS name')
    .argument(
      '[file]',
      'lines of `block or date,balance in the smallest unit` (default or `-`: standard input)',
    )
    .option('--json', 'the answer as JSON')
    .action(async (token: string, holder: string, file: string | undefined, { json }: { json?: true }) => {
      const rows = await readBooks(await openInput(context, file));
      const client = openClient(context);
      const { signal } = context;
      const address = await resolveToken(client, token, signal);
      const answer = await client.balance.reconcile({ token: address, holder, rows, signal });
      noteFinality(context, answer);
      if (json) printJson(context, answer);
      else printDivergence(context, answer);
    });
}

/** The rows of a file; its first line may be a header. @throws {UsageError} */
async function readBooks(input: Readable): Promise<readonly BookedRow[]> {
  const rows: BookedRow[] = [];
  let line = 0;
  for await (const text of createInterface({ input })) {
    line += 1;
    const [, when, balance] = ROW.exec(text) ?? [];
    if (when !== undefined && balance !== undefined) rows.push({ at: parseEnd(when.trim()), balance });
    else if ((line > 1 && text.trim() !== '') || BEGUN_ROW.test(text)) {
      throw new UsageError(
        `line ${line}: expected a block or a date, a comma, and a balance in the smallest unit`,
      );
    }
    if (rows.length > MAX_ROWS) throw new UsageError(`expected at most ${MAX_ROWS} rows`);
  }
  if (rows.length === 0) throw new UsageError('the books have no rows');
  return rows;
}

function printDivergence(context: Context, { equal, rows, first_divergence: first }: Reconciliation): void {
  const wrong = rows.filter((row) => row.equal === false).length;
  const unknown = rows.filter((row) => row.equal === null).length;
  print(context, equal ? `all ${rows.length} rows are equal` : `${wrong} of ${rows.length} rows differ`);
  if (unknown > 0) print(context, `of ${unknown} rows the token gave no balance`);
  if (first === null) return;
  const since = first.after_block === null ? 'by' : `after block ${first.after_block}, by`;
  print(context, `first ${since} block ${first.by_block}: ${first.difference} in the smallest unit`);
  if (first.cause !== null)
    print(
      context,
      `accounted for by ${first.cause}${first.block === null ? '' : ` at block ${first.block}`}`,
    );
  for (const { block, cause, balance_before: before, balance_after: after, transactions } of first.changes)
    print(
      context,
      dim(
        context,
        `block ${block}  ${before ?? 'not known'} -> ${after ?? 'not known'}  ${cause}  ${transactions.join(' ')}`,
      ),
    );
  if (!first.complete) print(context, dim(context, 'changes may be missing'));
}
