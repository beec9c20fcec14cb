import type { BalanceChange, ChangesPage, WalletChange, WalletChangesQuestion } from '@hindsight/client';
import type { Command } from 'commander';
import { dim, note, openClient, print, printData, toJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { UsageError } from '../exit-codes.ts';
import { noteDayAlone, parseEnd } from '../range.ts';
import { holderCell, holderColumn, holderNote, movesOf, resolveOf, type Each } from '../meanings.ts';
import { resolveTokens } from '../token.ts';
import { shortDate } from '../when.ts';

/** In place of tokens: those of the wallet's portfolio. */
const ALL = 'all';

type ChosenTokens = Parameters<NonNullable<WalletChangesQuestion['onChosen']>>[0];

interface Options {
  readonly from: string;
  readonly to?: string;
  readonly each?: Each;
  readonly csv?: true;
  readonly json?: true;
}

/** `hindsight changes USDC treasury.eth --from 2023-01-01 --to 2024-01-01 --csv` */
export function changesCommand(program: Command, context: Context): void {
  program
    .command('changes')
    .description('the blocks in which a balance changed, with or without an event')
    .argument(
      '<token>',
      'an address, a symbol that is unique, or native; up to ten, with commas; or all: ether and what was held at either end',
    )
    .argument('<holder>', 'an address or an ENS name')
    .requiredOption('--from <when>', 'changes after this block or date')
    .option('--to <when>', 'the last block or date (default: the latest block)')
    .option(
      '--each',
      'for a name that moved, and one token: each change is of the address that the name meant at its block',
    )
    .option('--csv', 'as CSV')
    .option('--json', 'one JSON object a line')
    .action(async (text: string, holder: string, { from, to, each, csv, json }: Options) => {
      const client = openClient(context);
      const { signal } = context;
      const tokens = text === ALL ? undefined : await resolveTokens(client, text, signal);
      const one = tokens?.length === 1 ? tokens[0] : undefined;
      if (each && one === undefined) throw new UsageError('--each is for the changes of one token');
      noteDayAlone(context, to);
      const range = { from: parseEnd(from), to: to === undefined ? undefined : parseEnd(to) };
      const columns = ['date', 'block', 'block_hash', 'cause', 'before', 'after', 'change', 'transactions'];
      const lead = one === undefined ? ['token', 'symbol'] : holderColumn(each);
      if (csv) printData(context, csvLine([...lead, ...columns]));
      let isFirst = true;
      const onPage = ({ complete, from_block, through_block, meanings }: ChangesPage): void => {
        const moves = isFirst ? movesOf(holder, meanings) : undefined;
        isFirst = false;
        if (moves !== undefined) note(context, moves);
        if (complete === false)
          note(context, `changes between blocks ${from_block} and ${through_block} may be missing`);
      };
      const onChosen = ({ left_out: left, complete }: ChosenTokens): void => {
        if (left.length > 0) note(context, `left out, ask for them by name: ${left.join(', ')}`);
        else if (!complete)
          note(
            context,
            'tokens may be missing: some gave no answer (hindsight portfolio names them), or not all of the wallet’s events were searched',
          );
      };
      const asked = { holder, ...range, onPage, signal };
      const changes =
        one !== undefined
          ? client.balance.changes({ token: one, resolve: resolveOf(each), ...asked })
          : client.balance.changesOf({ tokens, onChosen, ...asked });
      for await (const change of changes) {
        if (json) printData(context, toJson(change));
        else if (csv) printData(context, csvLine([...leadOf(change, each, holder), ...cellsOf(change)]));
        else print(context, lineOf(context, change));
      }
    });
}

/** A change of the one token, or of one of several. */
type Change = BalanceChange | WalletChange;

/** The cells before those of every change. */
function leadOf(change: Change, each: Each, holder: string): readonly string[] {
  if ('token_address' in change) return [change.token_address, change.token_symbol];
  return holderCell(each, change, holder);
}

function lineOf(context: Context, change: Change): string {
  const by = difference(change);
  const sign = by !== null && by > 0n ? '+' : '';
  const what = by === null ? 'unknown' : `${sign}${change.format(by)}`;
  const symbol = 'token_address' in change ? ` ${change.token_symbol || change.token_address}` : '';
  const whose = 'holder' in change ? holderNote(change) : '';
  const where = dim(context, `block ${change.block}, ${change.cause}${whose}`);
  return `${shortDate(change.date)}  ${what}${symbol}  ${where}`;
}

function cellsOf(change: Change): readonly (string | number)[] {
  const { date, block, block_hash: hash, cause, transactions } = change;
  const { balance_before: before, balance_after: after } = change;
  const amount = (value: bigint | null): string => (value === null ? '' : change.format(value));
  return [
    date,
    block,
    hash,
    cause,
    amount(before),
    amount(after),
    amount(difference(change)),
    transactions.join(' '),
  ];
}

function difference({ balance_before: before, balance_after: after }: BalanceChange): bigint | null {
  return before === null || after === null ? null : after - before;
}
