import { UnknownHeader } from '@hindsight/chain/proofs/header-rlp.ts';
import { readSlots } from '@hindsight/chain/proofs/slots-read.ts';
import { readProof, type Proved, type StateProof } from '@hindsight/chain/proofs/state-proof.ts';
import type { Failover } from '@hindsight/chain/pool/failover.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { CallItem } from '@hindsight/chain/state/multicall/multicall.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';
import { onlySlot, proofFields, requireValue, type ProofFields } from '../domain/proof.ts';

/** A number that a contract has answered. */
export interface AnsweredNumber {
  readonly call: CallItem;
  /** A call that reads the same for another account, or something else of the contract. */
  readonly alike: CallItem;
  readonly value: bigint;
}

/** Reads proofs of what a network's contracts and accounts have answered. */
export class ProofReader {
  readonly #node: EthereumNode & Partial<Pick<Failover, 'health'>>;

  constructor(node: EthereumNode & Partial<Pick<Failover, 'health'>>) {
    this.#node = node;
  }

  /**
   * Proves an account's balance of the native coin.
   * @param wei the balance as it was answered
   * @throws {ApiError} 501 where no node can prove at that block
   * @throws {NodeError} where no node answers, or one contradicts the answer
   */
  async ofWei(block: Block, account: string, wei: bigint, signal: AbortSignal): Promise<ProofFields> {
    const proof = await this.#read(block, { address: account, slots: [] }, signal);
    if (proof.balance !== wei)
      throw new NodeError('malformed', `${this.#node.label} proves another balance than it answered`);
    return proofFields(proof, 'account-is-balance');
  }

  /**
   * Proves a number that a contract has answered, where one of its slots is that number.
   * @throws {ApiError} 422 where none is; 501 where no node can prove at that block
   * @throws {NodeError} where no node answers
   */
  async ofNumber(block: Block, answered: AnsweredNumber, signal: AbortSignal): Promise<ProofFields> {
    const { call, alike, value } = answered;
    const listing = readSlots(this.#node, block, [call, alike], signal);
    const [read = [], others = []] = await unlessRefused(listing, () =>
      notHere('No node lists the slots that a call reads (eth_createAccessList).'),
    );
    const slot = onlySlot(call.target, read, others);
    const proof = await this.#read(block, { address: call.target, slots: [slot.key] }, signal);
    requireValue(slot, proof.storage[0]!.value, value);
    return proofFields(proof, 'slot-is-balance');
  }

  async #read(block: Block, proved: Proved, signal: AbortSignal): Promise<StateProof> {
    try {
      const reading = readProof(this.#node, block, proved, signal);
      return await unlessRefused(reading, () => notHere(this.#outOfReach(block)));
    } catch (error) {
      if (error instanceof UnknownHeader) throw notHere(`proof: ${error.message}`, error);
      if (!(error instanceof NodeError) || error.kind !== 'missing-state') throw error;
      throw notHere(this.#outOfReach(block), error);
    }
  }

  /** A sentence that says from where on proofs can be had, as far as nodes have said. */
  #outOfReach({ number }: Block): string {
    const kept = (this.#node.health?.() ?? []).map(({ oldest }) => oldest.stateproofs ?? Infinity);
    const from = Math.min(...kept);
    const range = from > number && Number.isFinite(from) ? `; as far as is known, from block ${from} on` : '';
    return `proof: no node can prove the state of block ${number}${range}.`;
  }
}

/** A node refuses a method that it does not have. */
async function unlessRefused<T>(reading: Promise<T>, refusal: () => ApiError): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof NodeError && error.kind === 'refused' ? refusal() : error;
  }
}

function notHere(message: string, cause?: unknown): ApiError {
  return new ApiError('proof_unavailable', message, { cause });
}
