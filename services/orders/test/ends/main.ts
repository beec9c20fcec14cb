/** `npm run truth:orders [-- COUNT]`: the ends of 10,000 orders; prints how they were told. Exits with 1 if any is wrong. */
import { installedFolder } from '@hindsight/tools/servers/install.ts';
import { tryEnds, type Tally } from './trial.ts';

const count = Number(process.argv[2] ?? 10_000);
const begun = performance.now();
const say = (line: string): void =>
  console.log(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(5)} s  ${line}`);
const { kinds, told, twice } = await tryEnds(await installedFolder('uniswapx-sdk'), count, say);
const row = (name: string, { orders, right, wrong, wrongAmounts, withheldAmounts }: Tally): string =>
  name.padEnd(40) +
  [orders, right, wrong, wrongAmounts, withheldAmounts].map((n) => String(n).padStart(10)).join('');
console.log(`${''.padEnd(40)}    orders     right     wrong  wrong amounts, withheld`);
const sum: Tally = { orders: 0, right: 0, wrong: 0, wrongAmounts: 0, withheldAmounts: 0 };
for (const [kind, tally] of kinds) {
  console.log(row(kind, tally));
  for (const name of Object.keys(sum) as (keyof Tally)[]) sum[name] += tally[name];
}
console.log(row('all', sum));
console.log(`${told} ends told, ${twice} twice`);
if (sum.wrong + sum.wrongAmounts + twice > 0) process.exitCode = 1;
