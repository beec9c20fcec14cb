/**
 * The years before the story: a block a day, at 15:50:35 UTC, and a few payments between two holders that take no part in
 * what comes after. The calendar year 2022 is whole, so that a year's statement has its two ends.
 */
import { timestampOf } from '../slots.ts';
import { CHAIN, HOLDERS } from '../world.ts';
import type { Cast } from './cast.ts';

const ETHER = 10n ** 18n;
const { yvonne, zoe, market } = HOLDERS;

/** Day (UTC) → what happens in its block. */
const EVENTS: ReadonlyMap<string, (cast: Cast) => void> = new Map([
  ['2021-11-15', ({ mkr }) => mkr.mint(zoe, 1_000n * ETHER)],
  [
    '2021-12-20',
    ({ script, mkr }) => {
      script.pay(zoe, yvonne, 5n * ETHER);
      mkr.transfer(zoe, yvonne, 40n * ETHER);
    },
  ],
  ['2022-02-01', ({ script }) => script.pay(zoe, yvonne, 3n * ETHER)],
  ['2022-03-15', ({ mkr }) => mkr.transfer(yvonne, zoe, 15n * ETHER)],
  ['2022-05-02', ({ mkr }) => mkr.approve(yvonne, market, 10n * ETHER)],
  ['2022-07-01', ({ mkr }) => mkr.transfer(zoe, yvonne, (25n * ETHER) / 2n)],
  ['2022-09-30', ({ script }) => script.pay(yvonne, zoe, (5n * ETHER) / 4n)],
  [
    '2022-12-31',
    ({ script, mkr }) => {
      script.pay(zoe, yvonne, 2n * ETHER);
      mkr.transfer(zoe, yvonne, (15n * ETHER) / 2n);
    },
  ],
  ['2023-01-01', ({ mkr }) => mkr.transfer(yvonne, zoe, ETHER)],
  ['2023-04-03', ({ script }) => script.pay(yvonne, zoe, ETHER / 2n)],
]);

export function passYears(cast: Cast): void {
  const { script } = cast;
  while (script.block < CHAIN.story) {
    script.nextBlock();
    EVENTS.get(dayOf(script.block))?.(cast);
  }
}

function dayOf(block: number): string {
  return new Date(timestampOf(block) * 1_000).toISOString().slice(0, 10);
}
