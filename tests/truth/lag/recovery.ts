/**
 * Time for which searches of logs stay smaller than necessary after a node was in trouble, by the service's
 * clock.
 */
import { startBalancer } from '@hindsight/chain/test/support/lagging-nodes.ts';
import { FROM_BYZANTIUM } from '../networks.ts';
import { startService } from '../service.ts';
import type { LedgerChain } from './ledger-chain.ts';

/** A troubled node's answers to searches. */
export const TROUBLES = [
  'invalid block range params',
  'block range extends beyond current head block',
  'block range is too wide',
  'query returned more than 10000 results',
  'Internal error',
  'method handler crashed',
  'query timeout exceeded',
  'execution aborted (timeout = 5s)',
] as const;

/** Number of troubled moments, and searches in each. */
const MOMENTS = 8;
const SEARCHES = [1, 2, 4, 7, 12];
const STEP_MS = 5_000;
const LONGEST_MS = 120_000;

/** Seconds until a portfolio takes no more searches than before; Infinity for longer than two minutes. */
export async function recoverFrom(trouble: string, chain: LedgerChain): Promise<number> {
  let ill = 0;
  const fault = (method: string): string | undefined =>
    method === 'eth_getLogs' && ill-- > 0 ? trouble : undefined;
  const balancer = await startBalancer(chain.url, [{ lag: 0, beyond: 'part', fault }]);
  let now = 1_800_000_000_000;
  const service = await startService(balancer.url, FROM_BYZANTIUM, { now: () => now });
  const holder = chain.head.newcomer;
  /** Searches of a portfolio; Infinity if it is not complete. */
  const ask = async (): Promise<number> => {
    now += 1_000;
    const before = balancer.searches;
    const answer = await fetch(`${service.url}/v1/eth-mainnet/portfolio?holder=${holder}`);
    const { asked } = (await answer.json()) as { asked?: { complete: boolean } };
    return asked?.complete ? balancer.searches - before : Infinity;
  };
  try {
    const well = await ask();
    for (let moment = 0; moment < MOMENTS; moment++) {
      ill = 3 * SEARCHES[moment % SEARCHES.length]!;
      await ask();
    }
    ill = 0;
    const begun = now;
    while ((await ask()) > well && now - begun < LONGEST_MS) now += STEP_MS - 1_000;
    return now - begun < LONGEST_MS ? (now - begun) / 1_000 : Infinity;
  } finally {
    await service.stop();
    await balancer.close();
  }
}
