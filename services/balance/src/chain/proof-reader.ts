import { UnknownHeader } from '@hindsight/chain/proofs/header-rlp.ts';
import { readSlots } from '@hindsight/chain/proofs/slots-read.ts';
import { readProof, type Proved, type StateProof } from '@hindsight/chain/proofs/state-proof.ts';
import type { Failover } from '@hindsight/chain/pool/failover.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { NodeErrorKind } from '@hindsight/chain/rpc/node-error-kind.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';
import { onlySlot, proofFields, requireValue, type ProofFields } from '../domain/proof.ts';
import type { AnsweredNumber } from '../ports.ts';
import { proofsFrom } from './network-state.ts';

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
    const { call, control, value } = answered;
    const [read = [], others = []] = await readSlots(this.#node, block, [call, control], signal).catch(
      unavailableIf(['refused'], () => 'No node lists the slots that a call reads (eth_createAccessList).'),
    );
    const slot = onlySlot(call.target, read, others);
    const proof = await this.#read(block, { address: call.target, slots: [slot.key] }, signal);
    requireValue(slot, proof.storage[0]!.value, value);
    return proofFields(proof, 'slot-is-balance');
  }

  #read(block: Block, proved: Proved, signal: AbortSignal): Promise<StateProof> {
    return readProof(this.#node, block, proved, signal).catch(
      unavailableIf(['refused', 'missing-state'], () => this.#outOfReach(block)),
    );
  }

  /** Names the first block with proofs, where a node has said which one it is. */
  #outOfReach({ number }: Block): string {
    const from = proofsFrom(this.#node);
    const range = from !== null && from > number ? `; as far as is known, from block ${from} on` : '';
    return `proof: no node can prove the state of block ${number}${range}.`;
  }
}

/** Turns errors of these kinds, and headers of unknown forks, into a 501: a node refuses a method that it does not have. */
function unavailableIf(kinds: readonly NodeErrorKind[], message: () => string): (error: unknown) => never {
  return (error) => {
    if (error instanceof UnknownHeader) throw unavailable(`proof: ${error.message}`, error);
    if (error instanceof NodeError && kinds.includes(error.kind)) throw unavailable(message(), error);
    throw error;
  };
}

function unavailable(message: string, cause: Error): ApiError {
  return new ApiError('proof_unavailable', message, { cause });
}
