import { UnknownHeader } from '@hindsight/chain/proofs/header-rlp.ts';
import { findPlace, keyAt, type SlotPlace } from '@hindsight/chain/proofs/slot-places.ts';
import { listReads, unusedAddress } from '@hindsight/chain/proofs/slots-read.ts';
import { readProofs, type Proved, type StateProof } from '@hindsight/chain/proofs/state-proof.ts';
import type { Failover } from '@hindsight/chain/pool/failover.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { NodeErrorKind } from '@hindsight/chain/rpc/node-error-kind.ts';
import { readInRequests } from '@hindsight/chain/rpc/in-requests.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { balanceOfCall } from '@hindsight/chain/tokens/token-facts.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';
import { NATIVE, type Asset } from '../domain/asset.ts';
import {
  keepsShares,
  noKnownLayout,
  noShares,
  onlySlot,
  otherShares,
  otherValue,
  proofFields,
  sharesProofFields,
  type BalanceProof,
  type CheckedProof,
  type ProofFields,
  type SharesProofFields,
} from '../domain/proof.ts';
import type { AnsweredNumber, BalanceProver } from '../ports.ts';
import {
  accountsIn,
  createPlaces,
  isUnchanged,
  placeKey,
  reliedIn,
  reliedOn,
  type Relied,
} from './known-places.ts';
import { proofsFrom } from './network-state.ts';

/** The proven slot on which a number depends; it may hold another value. */
interface Located {
  readonly proof: CheckedProof;
  readonly key: string;
  readonly held: bigint;
  /** Undefined where the slots of other accounts cannot be derived from it. */
  readonly place: SlotPlace | undefined;
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
/** Proofs of accounts in one request: some 10 kB each. */
const ACCOUNTS_PER_REQUEST = 32;

/** Reads proofs of what a network's contracts and accounts have answered. */
export class ProofReader {
  readonly #node: EthereumNode & Partial<Pick<Failover, 'health'>>;
  readonly #places = createPlaces();

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
    const { header, accounts } = await this.#read(block, [{ address: account, slots: [] }], signal);
    const proof = accounts[0]!;
    if (proof.balance !== wei) throw this.#contradicts();
    return proofFields({ header, ...proof }, 'account-is-balance');
  }

  /**
   * Proves a number that a contract has answered, where one of its slots is that number.
   * @throws {ApiError} 422 where none is, which says so where the slot holds the shares that the token states; 501 where no
   *   node can prove at that block
   * @throws {NodeError} where no node answers
   */
  async ofNumber(block: Block, answered: AnsweredNumber, signal: AbortSignal): Promise<ProofFields> {
    const { proof, key, held } = await this.#locate(block, answered, signal);
    if (held === answered.value) return proofFields(proof, 'slot-is-balance');
    throw (await answered.shares?.()) === held ? keepsShares(key, held) : otherValue(key, held);
  }

  /**
   * Proves the shares of a holder, where the one slot on which the balance depends holds as many as the token states.
   * @throws {ApiError} 422 where it does not, or the token states none; 501 where no node can prove at that block
   * @throws {NodeError} where no node answers
   */
  async ofShares(
    block: Block,
    answered: Required<AnsweredNumber>,
    signal: AbortSignal,
  ): Promise<SharesProofFields> {
    const shares = await answered.shares();
    if (shares === undefined) throw noShares();
    const { call, control } = answered;
    const { proof, key, held } = await this.#locate(block, { call, control, value: shares }, signal);
    if (held !== shares) throw otherShares(key, held, shares);
    return sharesProofFields(proof, shares);
  }

  /**
   * Opens the proofs of many balances of one asset at a block.
   * @throws {ApiError} 422 where the token keeps no balance in one slot, or in none that is known; 501 where no node can prove
   *   at that block
   * @throws {NodeError} where no node answers
   */
  async openBalances(block: Block, asset: Asset, signal: AbortSignal): Promise<BalanceProver> {
    if (asset === NATIVE) {
      const { header } = await this.#read(
        block,
        [{ address: unusedAddress(ZERO_ADDRESS), slots: [] }],
        signal,
      );
      return {
        shared: { header_rlp: header, account_proof: [], claim: 'account-is-balance' },
        prove: (holders, amounts, during) => this.#ofEther(block, holders, amounts, during),
      };
    }
    // The slots that calls for two unused addresses read show where balances are kept.
    const unused = unusedAddress(asset);
    const call = balanceOfCall(asset, unused);
    const control = balanceOfCall(asset, unusedAddress(unused));
    const { proof, key, held, place } = await this.#locate(block, { call, control, value: 0n }, signal);
    if (held !== 0n) throw otherValue(key, held);
    if (place === undefined) throw noKnownLayout(key);
    const { header, account } = proof;
    return {
      shared: { header_rlp: header, account_proof: account, claim: 'slot-is-balance' },
      prove: async (holders, amounts, during) => {
        const slots = holders.map((holder) => keyAt(place, [holder]));
        const { accounts } = await this.#read(block, [{ address: asset, slots }], during);
        return accounts[0]!.storage.map(({ key, value, proof: nodes }, i) =>
          value === amounts[i] ? { key, nodes } : otherValue(key, value),
        );
      },
    };
  }

  #ofEther(
    block: Block,
    holders: readonly string[],
    amounts: readonly bigint[],
    signal: AbortSignal,
  ): Promise<readonly BalanceProof[]> {
    return readInRequests([...holders.entries()], ACCOUNTS_PER_REQUEST, async (part) => {
      const proved = part.map(([, address]) => ({ address, slots: [] }));
      const { accounts } = await this.#read(block, proved, signal);
      return accounts.map(({ account: nodes, balance }, i) => {
        if (balance !== amounts[part[i]![0]]) throw this.#contradicts();
        return { nodes };
      });
    });
  }

  #contradicts(): NodeError {
    return new NodeError('malformed', `${this.#node.label} proves another balance than it answered`);
  }

  /** Proves a number at the known place of its call; finds the place where there is none, or it no longer holds. */
  async #locate(block: Block, answered: AnsweredNumber, signal: AbortSignal): Promise<Located> {
    const { call, value } = answered;
    const known = this.#places.get(placeKey(answered));
    if (known !== undefined) {
      const key = keyAt(known.place, accountsIn(call));
      const { proof, relied } = await this.#proveSlot(block, key, known.relied.map(toProved), signal);
      const held = proof.storage[0]!.value;
      if (isUnchanged(known.relied, relied) && held === value)
        return { proof, key, held, place: known.place };
      this.#places.delete(placeKey(answered));
    }
    return this.#find(block, answered, signal);
  }

  /** Proves a number by the slots that its call reads, and remembers the place if the slot holds the number. */
  async #find(block: Block, { call, control, value }: AnsweredNumber, signal: AbortSignal): Promise<Located> {
    const [read, others] = await listReads(this.#node, block, [call, control], signal).catch(
      unavailableIf(['refused'], () => 'No node lists the slots that a call reads (eth_createAccessList).'),
    );
    const slot = onlySlot(call.target, read!.slots, others!.slots);
    const wanted = reliedOn(call.target, read!, slot);
    const alone = [{ address: call.target, slots: [] }];
    const { proof, relied } = await this.#proveSlot(block, slot.key, wanted ?? alone, signal);
    const { key } = slot;
    const held = proof.storage[0]!.value;
    const place = wanted && held === value ? findPlace(key, accountsIn(call)) : undefined;
    if (place !== undefined) this.#places.set(placeKey({ call, value }), { place, relied });
    return { proof, key, held, place };
  }

  /**
   * Proves a slot of the first of some contracts, and the state that is relied on with it.
   * @param wanted the contracts that are relied on, each with its slots
   */
  async #proveSlot(
    block: Block,
    key: string,
    wanted: readonly Proved[],
    signal: AbortSignal,
  ): Promise<{ readonly proof: CheckedProof; readonly relied: readonly Relied[] }> {
    const [target, ...others] = wanted;
    const slots = [key, ...target!.slots];
    const read = await this.#read(block, [{ ...target!, slots }, ...others], signal);
    const { account, storage } = read.accounts[0]!;
    return {
      proof: { header: read.header, account, storage: storage.slice(0, 1) },
      relied: reliedIn(wanted, read),
    };
  }

  #read(block: Block, proved: readonly Proved[], signal: AbortSignal): Promise<StateProof> {
    return readProofs(this.#node, block, proved, signal).catch(
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

function toProved({ address, slots }: Relied): Proved {
  return { address, slots: slots.map(({ key }) => key) };
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
