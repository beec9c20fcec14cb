/** Accepts well-formed orders: checks each, then stores or refuses it. */
import type { ContractVerdict } from '@hindsight/chain/tokens/erc1271.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { currentTraceparent } from '@hindsight/kernel/telemetry/trace-context.ts';
import { claimOf } from './domain/claim.ts';
import type { OrderPayload } from './domain/order.ts';
import type { OrderRecord } from './domain/order-event.ts';
import { RefusedOrder } from './domain/refusal.ts';
import type { RecoverSigner } from './domain/signature.ts';
import { validateOrder, type ValidatedOrder } from './domain/validate.ts';
import type { ContractSignatures, OrderStores } from './ports.ts';

/** The sender's answer. */
export interface Receipt {
  readonly duplicate: boolean;
  readonly pending: boolean;
}

export interface IntakeDeps extends Pick<Platform, 'clock' | 'logger'> {
  readonly stores: Pick<OrderStores, 'orders' | 'pending'>;
  readonly contracts: ContractSignatures;
  /** Gives the recovery of signers; loads it with the first order. */
  readonly recovery: () => Promise<RecoverSigner>;
  /** Called when an order was stored that is to be published or verified. */
  readonly onStored: () => void;
  /** Milliseconds that a contract wallet may take to answer while the sender waits. */
  readonly contractBudgetMs?: number | undefined;
}

/** Share of the sender's 200 ms that the swapper's contract may take. */
const CONTRACT_BUDGET_MS = 60;

export class Intake {
  readonly #deps: IntakeDeps;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /**
   * Checks an order and stores it; resolves once it is on disk, or to `not stored` when the store is unavailable.
   * @throws {RefusedOrder}
   */
  async take(
    payload: OrderPayload,
    chain: { readonly name: string; readonly chainId: number },
    projectId: string,
  ): Promise<Receipt | 'not stored'> {
    const { clock, recovery } = this.#deps;
    const now = clock.now();
    const recover = await recovery();
    const validated = validateOrder(payload, { chain, now, recover });
    const { id, order } = validated;
    const traceparent = currentTraceparent();
    const record: OrderRecord = {
      id,
      network: chain.name,
      projectId,
      receivedAt: now,
      payload,
      order,
      ...(traceparent === undefined ? {} : { traceparent }),
    };
    const verdict = await this.#verify(record, validated);
    if (verdict === 'wrong' || verdict === 'no-contract') throw refusalOf(verdict, record);
    try {
      return await this.#store(record, validated, verdict);
    } catch (err) {
      this.#deps.logger.error({ err, order: id }, 'an order could not be stored');
      return 'not stored';
    }
  }

  async #store(record: OrderRecord, validated: ValidatedOrder, verdict: ContractVerdict): Promise<Receipt> {
    const { orders, pending } = this.#deps.stores;
    if (verdict === 'right') {
      const outcome = await orders.insert(record);
      if (outcome === 'stored') this.#deps.onStored();
      return { duplicate: outcome === 'duplicate', pending: false };
    }
    if (await orders.has(record.id)) return { duplicate: true, pending: false };
    const { digest } = validated;
    const claim = claimOf(record);
    const outcome = await pending.add({ ...record, claim, digest, attempts: 0 }, record.receivedAt);
    if (outcome === 'stored') this.#deps.onStored();
    return { duplicate: outcome === 'duplicate', pending: true };
  }

  /**
   * Permit2's rule: code at the swapper's address decides, even if the account's key has signed (EIP-7702).
   * The key decides where there is no code, and also while no node says whether there is any.
   */
  async #verify({ payload, order }: OrderRecord, validated: ValidatedOrder): Promise<ContractVerdict> {
    const { contracts, contractBudgetMs = CONTRACT_BUDGET_MS } = this.#deps;
    const { digest, signedByAccount } = validated;
    const { chainId, signature } = payload;
    const question = { chainId, swapper: order.swapper, digest, signature };
    const begun = performance.now();
    const leftMs = (): number => Math.max(0, contractBudgetMs - (performance.now() - begun));
    // Most swappers have no code, and finding that out is cheap.
    if (signedByAccount && (await contracts.hasCode(question, { timeoutMs: leftMs() })) !== true)
      return 'right';
    const verdict = await contracts.check(question, { timeoutMs: leftMs() });
    if (signedByAccount && verdict === 'no-contract') return 'right';
    if (verdict === 'right' || verdict === 'unknown') return verdict;
    // The remembered head may be older than the wallet, or than its present keys.
    const latest = await contracts.check(question, { timeoutMs: leftMs(), atNewHead: true });
    return signedByAccount && latest === 'no-contract' ? 'right' : latest;
  }
}

function refusalOf(verdict: 'wrong' | 'no-contract', { order }: OrderRecord): RefusedOrder {
  if (verdict === 'wrong') {
    return new RefusedOrder(
      'contract-signature',
      `signature: the contract of the swapper ${order.swapper} does not confirm it (ERC-1271)`,
    );
  }
  return new RefusedOrder(
    'signature',
    `signature: it is not that of the swapper ${order.swapper} over this order in Permit2's domain; expected 65 bytes with v 27 or 28 and the lower s`,
  );
}
