/** State that a call reads, from `eth_createAccessList` (EIP-2930). */
import { getBytes, hexlify } from 'ethers/utils';
import { keccak } from '../keccak.ts';
import { numberToQuantity, parseHash } from '../rpc/hex.ts';
import { resultOf, type EthereumNode, type RpcOutcome } from '../rpc/node.ts';
import { NodeError, orMalformed } from '../rpc/node-error.ts';
import { pinOf, type Block } from '../state/block.ts';
import type { CallItem } from '../state/multicall/multicall.ts';

/** The contracts that a call runs or asks about, and the slots that it reads. */
export interface StateRead {
  /** 0x and 40 lower-cased hex digits each. The target is among them if one of its slots is read. */
  readonly contracts: readonly string[];
  readonly slots: readonly Slot[];
}

export interface Slot {
  /** 0x and 40 lower-cased hex digits. */
  readonly contract: string;
  /** 0x and 64 lower-cased hex digits. */
  readonly key: string;
}

/**
 * Derives an unused address: a call about it reads only slots that do not depend on the account.
 * @param account 0x and 40 hex digits
 */
export function unusedAddress(account: string): string {
  return hexlify(keccak(getBytes(account)).subarray(12));
}

/** Enough to read any number from a slot, and within the cap of a transaction (EIP-7825). */
const GAS = 10_000_000;
const CALLER = `0x${'0'.repeat(40)}`;
/**
 * geth runs a transaction, whose sender must be able to pay the gas. The zero address has enough ether on public networks;
 * elsewhere it gets it by a state override. Other clients neither accept nor need this third parameter.
 */
const FUNDED = { [CALLER]: { balance: `0x${(10n ** 30n).toString(16)}` } };

/**
 * Lists the state that each of the calls reads at a block.
 * @throws {NodeError} `refused` where no node lists it
 */
export async function listReads(
  node: EthereumNode,
  block: Block,
  calls: readonly CallItem[],
  signal?: AbortSignal,
): Promise<readonly StateRead[]> {
  try {
    return await list(node, block, calls, [], signal);
  } catch (error) {
    if (!(error instanceof NodeError) || !/insufficient funds/i.test(error.message)) throw error;
    return list(node, block, calls, [FUNDED], signal);
  }
}

async function list(
  node: EthereumNode,
  block: Block,
  calls: readonly CallItem[],
  overrides: readonly object[],
  signal: AbortSignal | undefined,
): Promise<readonly StateRead[]> {
  const [pin, height] = [pinOf(block), block.number];
  const outcomes = await node.send(
    calls.map(({ target, data }) => {
      const call = { from: CALLER, to: target, data, gas: numberToQuantity(GAS) };
      return { method: 'eth_createAccessList', params: [call, pin, ...overrides], height };
    }),
    { signal, independent: true },
  );
  return outcomes.map((outcome) => readList(node.label, outcome));
}

function readList(label: string, outcome: RpcOutcome): StateRead {
  const answer = resultOf(outcome);
  return orMalformed(`${label} returned a malformed access list`, () => {
    const { accessList } = answer as { readonly accessList: readonly Entry[] };
    const entries = accessList.map(({ address, storageKeys }) => ({
      contract: String(address).toLowerCase(),
      keys: storageKeys.map(parseHash),
    }));
    return {
      contracts: entries.map(({ contract }) => contract),
      slots: entries.flatMap(({ contract, keys }) => keys.map((key) => ({ contract, key }))),
    };
  });
}

interface Entry {
  readonly address: unknown;
  readonly storageKeys: readonly unknown[];
}
