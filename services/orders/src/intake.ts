/** What becomes of an order whose shape is right: checked, stored, or refused. */
import type { ContractVerdict } from '@hindsight/shared/chain/tokens/erc1271.ts';
import type { Clock } from '@hindsight/shared/clock.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import { currentTraceparent } from '@hindsight/shared/trace-context.ts';
import { claimOf } from './domain/claim.ts';
import type { OrderPayload } from './domain/order.ts';
import type { OrderRecord } from './domain/order-event.ts';
import { RefusedOrder } from './domain/refusal.ts';
import type { RecoverSigner } from './domain/signature.ts';
import { validateOrder, type ValidatedOrder } from './domain/validate.ts';
import type { ContractSignatures, OrderStores } from './ports.ts';

/** What the sender is told. */
export interface Receipt {
  readonly duplicate: boolean;
  readonly pending: boolean;
}

/** What an intake stands on. */
export interface IntakeDeps {
  readonly stores: Pick<OrderStores, 'orders' | 'unproven'>;
  readonly contracts: ContractSignatures;
  readonly recover: RecoverSigner;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when something was stored that is to be published, or to be proven. */
  readonly onStored: () => void;
  /** Milliseconds that a contract wallet may take to answer while the sender waits. */
  readonly contractBudgetMs?: number | undefined;
}

/** The part of the sender's 200 ms that a contract wallet may take to answer. */
const CONTRACT_BUDGET_MS = 60;

/** Takes orders in. */
export class Intake {
  readonly #deps: IntakeDeps;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /**
   * Checks an order and stores it; resolves once it is on disk, or to `not stored` when the store is away.
   * @throws {RefusedOrder}
   */
  async take(
    payload: OrderPayload,
    chain: { readonly name: string; readonly chainId: number },
    projectId: string,
  ): Promise<Receipt | 'not stored'> {
    const { clock, recover } = this.#deps;
    const now = clock.now();
    const validated = validateOrder(payload, { chain, now, recover });
    const { id, order } = validated;
    const traceparent = currentTraceparent();
    const record: OrderRecord = {
      ...{ id, network: chain.name, projectId, receivedAt: now, payload, order },
      ...(traceparent === undefined ? {} : { traceparent }),
    };
    const verdict = validated.signedByAccount ? 'right' : await this.#askContract(record, validated);
    if (verdict === 'wrong' || verdict === 'no-contract') throw refusalOf(verdict, record);
    try {
      return await this.#store(record, validated, verdict);
    } catch (err) {
      this.#deps.logger.error({ err, order: id }, 'an order could not be stored');
      return 'not stored';
    }
  }

  async #store(record: OrderRecord, validated: ValidatedOrder, verdict: ContractVerdict): Promise<Receipt> {
    const { orders, unproven } = this.#deps.stores;
    if (verdict === 'right') {
      const outcome = await orders.insert(record);
      if (outcome === 'stored') this.#deps.onStored();
      return { duplicate: outcome === 'duplicate', pending: false };
    }
    if (await orders.has(record.id)) return { duplicate: true, pending: false };
    const { digest } = validated;
    const claim = claimOf(record);
    const outcome = await unproven.add({ ...record, claim, digest, attempts: 0 }, record.receivedAt);
    if (outcome === 'stored') this.#deps.onStored();
    return { duplicate: outcome === 'duplicate', pending: true };
  }

  #askContract({ payload, order }: OrderRecord, { digest }: ValidatedOrder): Promise<ContractVerdict> {
    const { chainId, signature } = payload;
    const question = { chainId, swapper: order.swapper, digest, signature };
    return this.#deps.contracts.check(question, this.#deps.contractBudgetMs ?? CONTRACT_BUDGET_MS);
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
