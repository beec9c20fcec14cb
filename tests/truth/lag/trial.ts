/** Questions over nodes that lag, one after the other, each answer compared with the ledger. */
import { startBalancer, type Balancer } from '@hindsight/chain/test/support/lagging-nodes.ts';
import { FROM_BYZANTIUM } from '../networks.ts';
import { startService } from '../service.ts';
import { disturb, type Fleet } from './fleets.ts';
import type { LedgerChain } from './ledger-chain.ts';
import { drawQuestion, type Verdict } from './questions.ts';
import type { Random } from './random.ts';

/** Results of a fleet's questions. */
export interface Trial {
  readonly fleet: string;
  readonly count: Readonly<Record<Verdict, number>>;
  /** Answers that were short or wrong; a few are enough. */
  readonly faults: readonly string[];
}

const SHOWN_FAULTS = 3;
/** Questions between two blocks. */
const PER_BLOCK = 25;

/** Asks a number of questions over a fleet. */
export async function tryFleet(
  fleet: Fleet,
  chain: LedgerChain,
  { answers, random }: { readonly answers: number; readonly random: Random },
): Promise<Trial> {
  const { name, urls, splits = false, stir, reorganises = false } = fleet;
  const pick = (nodes: number): number => random.below(nodes);
  const balancers = await Promise.all(urls.map((nodes) => startBalancer(chain.url, nodes, { splits, pick })));
  const service = await startService(
    balancers.map(({ url }) => url),
    FROM_BYZANTIUM,
  );
  const count: Record<Verdict, number> = { right: 0, partial: 0, refused: 0, short: 0, wrong: 0 };
  const faults: string[] = [];
  try {
    if (reorganises) disturb(balancers, chain, random);
    for (let asked = 0; asked < answers; asked++) {
      if (asked % PER_BLOCK === 0) await chain.grow();
      stir?.(balancers, random);
      const question = drawQuestion(chain, random);
      const answer = await fetch(`${service.url}/v1/eth-mainnet/${question.path}`);
      const body = (await answer.json()) as Readonly<Record<string, unknown>>;
      const verdict = question.judge(answer.status, body);
      count[verdict] += 1;
      if ((verdict === 'short' || verdict === 'wrong') && faults.length < SHOWN_FAULTS)
        faults.push(`${verdict}: ${question.path} → ${answer.status} ${JSON.stringify(body)}`);
    }
  } finally {
    await service.stop();
    await closeAll(balancers);
  }
  return { fleet: name, count, faults };
}

/** Closes what a trial has opened. */
async function closeAll(balancers: readonly Balancer[]): Promise<void> {
  await Promise.all(balancers.map((balancer) => balancer.close()));
}
