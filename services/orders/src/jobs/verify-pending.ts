/** Asks the contracts of pending orders until they answer or the order's deadline has passed. */
import type { Platform } from '@hindsight/kernel/platform.ts';
import { backoff } from '@hindsight/kernel/retry.ts';
import { rememberedUntil } from '../domain/order-event.ts';
import { isSignedBy, type RecoverSigner } from '../domain/signature.ts';
import type { ContractSignatures, OrderPublisher, OrderStores, PendingOrder } from '../ports.ts';
import { Job } from '@hindsight/kernel/job.ts';

export interface VerifyPendingDeps extends Pick<Platform, 'clock' | 'logger'> {
  readonly stores: Pick<OrderStores, 'orders' | 'pending'>;
  readonly contracts: ContractSignatures;
  readonly recovery: () => Promise<RecoverSigner>;
  /** The chains whose contracts it can ask. */
  readonly chainIds: readonly number[];
  readonly publisher: OrderPublisher;
  /** An order was verified and is to be published. */
  readonly onVerified: () => void;
  readonly onDeadLettered: () => void;
  readonly lookEveryMs: number;
}

const AT_ONCE = 20;
const ASK = { timeoutMs: 5_000, atNewHead: true };
/** Time for which a pass claims its orders: longer than a pass can take. */
const CLAIM_MS = 30_000;
/**
 * Another process asks the contracts of other chains. Orders that are due for longer have none, and are taken so that they
 * are not kept for good: each look postpones one by some seconds.
 */
const LEFT_TO_OTHERS_MS = 60_000;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 15_000;

/** Creates the job, not yet started. */
export function createVerifyPendingJob(deps: VerifyPendingDeps): Job {
  return new Job({
    name: 'contract wallets',
    everyMs: deps.lookEveryMs,
    logger: deps.logger,
    async work() {
      const now = deps.clock.now();
      const by = { chainIds: deps.chainIds, own: now, others: now - LEFT_TO_OTHERS_MS };
      const due = await deps.stores.pending.takeDue(by, now + CLAIM_MS, AT_ONCE);
      const outcomes = await Promise.allSettled(due.map((order) => verifyPending(order, deps)));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
      return due.length === AT_ONCE;
    },
  });
}

async function verifyPending(order: PendingOrder, deps: VerifyPendingDeps): Promise<void> {
  const { stores, contracts, recovery, clock } = deps;
  const { claim, digest, attempts, ...record } = order;
  const { chainId, signature } = record.payload;
  const overdue = rememberedUntil(record) * 1000 + 999 < clock.now();
  const { swapper } = record.order;
  const verdict = overdue ? 'unknown' : await contracts.check({ chainId, swapper, digest, signature }, ASK);
  // The account may have given its code up since: then its key decides.
  const isByKey = verdict === 'no-contract' && isSignedBy(swapper, digest, signature, await recovery());
  if (verdict === 'right' || isByKey) {
    await stores.orders.insert(record);
    await stores.pending.remove(claim);
    deps.onVerified();
    return;
  }
  if (verdict === 'unknown' && !overdue) {
    const delay = backoff(attempts + 1, FIRST_DELAY_MS, MAX_DELAY_MS);
    await stores.pending.postpone(claim, clock.now() + delay);
    return;
  }
  await deps.publisher.publishDeadLetter(record, REASONS[verdict]);
  await stores.pending.remove(claim);
  deps.onDeadLettered();
}

const REASONS = {
  unknown: "the swapper's contract could not be asked before the order's deadline, or within a year",
  wrong: "the swapper's contract does not confirm the signature (ERC-1271)",
  'no-contract': "the signature is not the swapper's, and there is no contract at the swapper's address",
} as const;
