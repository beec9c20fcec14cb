import type { Client, LargestQuestion } from '@hindsight/client';
import { print, printData, toJson, type Context } from './context.ts';
import { csvLine } from './csv.ts';
import { reportHolders } from './holders-report.ts';

const PPM_IN_PERCENT = 10_000;

/** Prints the largest holders of a token, the largest first. */
export async function printLargest(
  context: Context,
  client: Client,
  question: LargestQuestion,
  { csv, json }: { readonly csv?: true; readonly json?: true },
): Promise<void> {
  const answer = await client.holders.largest(question);
  const { token_symbol: symbol, holder_count: holders, errors, sum, total_supply: totalSupply } = answer;
  if (csv) printData(context, csvLine(['holder', 'balance', 'amount', 'share_ppm']));
  for (const one of answer.holders) {
    const { holder, balance, share_ppm: share } = one;
    if (json) printData(context, toJson({ holder, balance, share_ppm: share }));
    else if (csv) printData(context, csvLine([holder, balance, one.format(), share ?? undefined]));
    else {
      const percent = share === null ? '' : `  ${(share / PPM_IN_PERCENT).toFixed(4)} %`;
      print(context, `${holder}  ${`${one.format()} ${symbol}`.trimEnd()}${percent}`);
    }
  }
  reportHolders(context, answer, { holders, errors, sum, totalSupply });
}
