import type { Statement, StatementPeriod } from '@hindsight/client';
import type { Command } from 'commander';
import { dim, note, openClient, print, printData, printJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { holderCell, holderColumn, holderNote, resolveOf, type Each } from '../meanings.ts';
import { noteDayAlone, noteFinality, parseEnd, parseStep } from '../range.ts';
import { resolveToken } from '../token.ts';
import { shortDate } from '../when.ts';

interface Options {
  readonly from: string;
  readonly to?: string;
  readonly step: string;
  readonly each?: Each;
  readonly csv?: true;
  readonly json?: true;
}

/** `hindsight statement USDC treasury.eth --from 2023-01-01 --to 2024-01-01 --csv` */
export function statementCommand(program: Command, context: Context): void {
  program
    .command('statement')
    .description('what a wallet had at the ends of periods, and what moved it in between')
    .argument('<token>', 'an address, a symbol that is unique, or native')
    .argument('<holder>', 'an address or an ENS name')
    .requiredOption('--from <when>', 'a block number or a date')
    .option(
      '--to <when>',
      'a block number or a date: of the year 2023, 2024-01-01 (default: the latest block)',
    )
    .option('--step <step>', '1h, 6h, 1d, 1w, 1M, or a number of blocks', '1M')
    .option(
      '--each',
      'for a name that moved: each of up to 100 periods is of the address that the name meant at its last block',
    )
    .option('--csv', 'CSV')
    .option('--json', 'the answer as JSON')
    .action(async (token: string, holder: string, { from, to, step, each, csv, json }: Options) => {
      const client = openClient(context);
      const { signal } = context;
      const statement = await client.balance.statement({
        token: await resolveToken(client, token, signal),
        holder,
        from: parseEnd(from),
        ...(to === undefined ? {} : { to: parseEnd(to) }),
        step: parseStep(step),
        resolve: resolveOf(each),
        signal,
      });
      noteDayAlone(context, to);
      noteFinality(context, statement);
      if (!statement.complete) note(context, 'not all events were searched: ask for shorter periods');
      if (json) printJson(context, statement);
      else if (csv) printCsv(context, statement, each, holder);
      else for (const period of statement.periods) print(context, lineOf(context, statement, period));
    });
}

const COLUMNS = ['from', 'from_block', 'to', 'to_date', 'to_block', 'to_block_hash'];
const AMOUNTS = ['opening', 'in', 'out', 'unexplained', 'closing'] as const;

function printCsv(context: Context, statement: Statement, each: Each, holder: string): void {
  printData(context, csvLine([...holderColumn(each), ...COLUMNS, ...AMOUNTS, 'finalized']));
  for (const period of statement.periods) {
    const amounts = AMOUNTS.map((name) => formatted(statement, period[name]) ?? '');
    const cells = [...endsOf(period), ...amounts, statement.finalized];
    printData(context, csvLine([...holderCell(each, period, holder), ...cells]));
  }
}

function endsOf({ from_instant, from_date, from_block, ...to }: StatementPeriod): (string | number)[] {
  const { to_instant, to_date, to_block, to_block_hash } = to;
  return [from_instant ?? from_date, from_block, to_instant ?? to_date, to_date, to_block, to_block_hash];
}

function lineOf(context: Context, statement: Statement, period: StatementPeriod): string {
  const [opening, into, out, unexplained, closing] = AMOUNTS.map(
    (name) => formatted(statement, period[name]) ?? '?',
  );
  const till = shortDate(period.to_instant ?? period.to_date);
  const rest = period.unexplained === 0n ? '' : `  unexplained ${unexplained}`;
  const where = dim(context, `block ${period.to_block}${holderNote(period)}`);
  return `${till}  ${opening} + ${into} - ${out} = ${closing}${rest}  ${where}`;
}

function formatted(statement: Statement, amount: bigint | null): string | undefined {
  return amount === null ? undefined : statement.format(amount);
}
