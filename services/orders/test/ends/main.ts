/**
 * `npm run truth:orders [-- COUNT]`: the ends of 10,000 orders, half of them on a chain with the reactors of Ethereum and half on
 * one with those of Base; prints how they were told. Exits with 1 if any is wrong.
 */
import { installedFolder } from '@hindsight/tools/servers/install.ts';
import { BASE, ETHEREUM, tryEnds, type Tally } from './trial.ts';

const count = Number(process.argv[2] ?? 10_000);
const begun = performance.now();
const say = (line: string): void =>
  console.log(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(5)} s  ${line}`);
const sdkFolder = await installedFolder('uniswapx-sdk');
const row = (name: string, { orders, right, wrong, wrongAmounts, withheldAmounts }: Tally): string =>
  name.padEnd(40) +
  [orders, right, wrong, wrongAmounts, withheldAmounts].map((n) => String(n).padStart(10)).join('');
const sum: Tally = { orders: 0, right: 0, wrong: 0, wrongAmounts: 0, withheldAmounts: 0 };
let ends = { told: 0, twice: 0 };
for (const types of [ETHEREUM, BASE]) {
  const { kinds, told, twice } = await tryEnds(sdkFolder, Math.ceil(count / 2), types, say);
  ends = { told: ends.told + told, twice: ends.twice + twice };
  console.log(`${types.network.padEnd(40)}    orders     right     wrong  wrong amounts, withheld`);
  for (const [kind, tally] of kinds) {
    console.log(row(kind, tally));
    for (const name of Object.keys(sum) as (keyof Tally)[]) sum[name] += tally[name];
  }
}
console.log(row('all', sum));
console.log(`${ends.told} ends told, ${ends.twice} twice`);
if (sum.wrong + sum.wrongAmounts + ends.twice > 0) process.exitCode = 1;
