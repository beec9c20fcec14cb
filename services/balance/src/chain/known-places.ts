import type { Proved, StateProof } from '@hindsight/chain/proofs/state-proof.ts';
import type { SlotPlace } from '@hindsight/chain/proofs/slot-places.ts';
import type { Slot, StateRead } from '@hindsight/chain/proofs/slots-read.ts';
import type { CallItem } from '@hindsight/chain/state/multicall/multicall.ts';
import { LRUCache } from 'lru-cache';
import type { AnsweredNumber } from '../ports.ts';

/** The state of a contract on which the places of all its amounts depend. */
export interface Relied {
  /** 0x and 40 lower-cased hex digits. */
  readonly address: string;
  readonly codeHash: string;
  readonly slots: readonly { readonly key: string; readonly value: bigint }[];
}

/** The place of the amounts of one view of a contract, found at some block. */
export interface KnownPlace {
  readonly place: SlotPlace;
  /** The contract itself, then those that it calls, such as a proxy's implementation. The place holds where all are the same. */
  readonly relied: readonly Relied[];
}

const MAX_PLACES = 2_000;
/** Most contracts and slots that each use confirms: a proxy with a beacon relies on three and two. */
const MAX_CONTRACTS = 4;
const MAX_SLOTS = 8;
const SELECTOR_END = 10;
const WORD = /[0-9a-f]{64}/gi;

/**
 * Remembers places by `placeKey`. Each use confirms by proofs that the code and the state on which a place depends have not
 * changed.
 */
export function createPlaces(): LRUCache<string, KnownPlace> {
  return new LRUCache({ maxSize: MAX_PLACES, sizeCalculation: () => 1 });
}

/**
 * The contract and view of a call that returned a number. Places of zeros are remembered separately: a contract may read
 * another slot where it finds a zero.
 */
export function placeKey({ call, value }: Pick<AnsweredNumber, 'call' | 'value'>): string {
  return `${call.target.toLowerCase()}${call.data.slice(0, SELECTOR_END)}${value === 0n ? ' of zero' : ''}`;
}

/** The accounts among a call's arguments, which are all addresses. 0x and 40 lower-cased hex digits each. */
export function accountsIn({ data }: CallItem): readonly string[] {
  return (data.slice(SELECTOR_END).match(WORD) ?? []).map((word) => `0x${word.slice(24).toLowerCase()}`);
}

/**
 * Lists the contracts and slots that a call relies on, without the slot of the amount.
 * @returns the target first; undefined where they are too many to confirm each time
 */
export function reliedOn(
  target: string,
  { contracts, slots }: StateRead,
  amount: Slot,
): readonly Proved[] | undefined {
  const shared = slots.filter(({ contract, key }) => contract !== amount.contract || key !== amount.key);
  const addresses = [...new Set([target.toLowerCase(), ...contracts])];
  if (addresses.length > MAX_CONTRACTS || shared.length > MAX_SLOTS) return undefined;
  return addresses.map((address) => ({
    address,
    slots: shared.filter(({ contract }) => contract === address).map(({ key }) => key),
  }));
}

export function reliedIn(proved: readonly Proved[], { accounts }: StateProof): readonly Relied[] {
  return proved.map(({ address, slots }, i) => {
    const { codeHash, storage } = accounts[i]!;
    const wanted = new Set(slots);
    const kept = storage.filter(({ key }) => wanted.has(key));
    return { address, codeHash, slots: kept.map(({ key, value }) => ({ key, value })) };
  });
}

export function isUnchanged(before: readonly Relied[], now: readonly Relied[]): boolean {
  return before.every(({ codeHash, slots }, i) => {
    const other = now[i];
    return (
      other?.codeHash === codeHash &&
      slots.length === other.slots.length &&
      slots.every(({ key, value }, k) => other.slots[k]?.key === key && other.slots[k].value === value)
    );
  });
}
