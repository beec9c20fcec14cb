/** Asks the contracts of orders that could not be proven at once, until they answer or the order's deadline is over. */
import type { Clock } from '@hindsight/shared/clock.ts';
import { Job } from '@hindsight/shared/job.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import { backoff } from '@hindsight/shared/retry.ts';
import type { ContractSignatures, OrderPublisher, OrderStores, UnprovenOrder } from '../ports.ts';

/** What the job stands on. */
export interface ProveDeps {
  readonly stores: Pick<OrderStores, 'orders' | 'unproven'>;
  readonly contracts: ContractSignatures;
  readonly publisher: OrderPublisher;
  readonly clock: Clock;
  readonly logger: Logger;
  /** An order was proven right and is to be published. */
  readonly onProven: () => void;
  readonly onBuried: () => void;
}

const LOOK_EVERY_MS = 250;
const AT_ONCE = 20;
const ASK_WITHIN_MS = 5_000;
/** How long the orders of a pass are this job's: longer than a pass can take. */
const CLAIM_MS = 30_000;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 15_000;

/** Creates the job, not yet started. */
export function createProveJob(deps: ProveDeps): Job {
  return new Job({
    name: 'contract wallets',
    everyMs: LOOK_EVERY_MS,
    logger: deps.logger,
    async work() {
      const now = deps.clock.now();
      const due = await deps.stores.unproven.takeDue(now, now + CLAIM_MS, AT_ONCE);
      const outcomes = await Promise.allSettled(due.map((order) => prove(order, deps)));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
      return due.length === AT_ONCE;
    },
  });
}

async function prove(order: UnprovenOrder, deps: ProveDeps): Promise<void> {
  const { stores, contracts, clock } = deps;
  const { claim, digest, attempts, ...record } = order;
  const { chainId, signature } = record.payload;
  const overdue = record.order.deadline * 1000 + 999 < clock.now();
  const question = { chainId, swapper: record.order.swapper, digest, signature };
  const verdict = overdue ? 'unknown' : await contracts.check(question, ASK_WITHIN_MS);
  if (verdict === 'right') {
    await stores.orders.insert(record);
    await stores.unproven.remove(claim);
    deps.onProven();
    return;
  }
  if (verdict === 'unknown' && !overdue) {
    const delay = backoff(attempts + 1, FIRST_DELAY_MS, LONGEST_DELAY_MS);
    await stores.unproven.postpone(claim, clock.now() + delay);
    return;
  }
  await deps.publisher.bury(record, REASONS[verdict]);
  await stores.unproven.remove(claim);
  deps.onBuried();
}

const REASONS = {
  unknown: "the swapper's contract could not be asked before the order's deadline",
  wrong: "the swapper's contract does not confirm the signature (ERC-1271)",
  'no-contract': "the signature is not the swapper's, and the swapper is no contract",
} as const;
