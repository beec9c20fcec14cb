/**
 * A multicall's questions as separate JSON-RPC calls, all in one HTTP request: for blocks before Byzantium,
 * whose rules lack instructions that the multicall's program uses; and for contracts that answer such calls
 * only.
 */
import { dataToBytes, numberToQuantity, quantityToBigInt } from '../rpc/hex.ts';
import { orMalformed } from '../rpc/node-error.ts';
import { resultOf, type RpcCall, type RpcOutcome } from '../rpc/node.ts';
import { HEAD_BYTES, readProgramHead, type ProgramHead } from '../rpc/program.ts';
import type { AccountResult, CallResult, MulticallItem, MulticallResult } from './multicall/multicall.ts';

/**
 * The calls of the items at a block (a quantity, or EIP-1898's object).
 * @param gas for each call of a contract; by default the node's limit
 */
export function encodeDirectCalls(
  items: readonly MulticallItem[],
  block: unknown,
  gas?: number,
): readonly RpcCall[] {
  const bound = gas === undefined ? {} : { gas: numberToQuantity(gas) };
  return items.flatMap((item): RpcCall[] => {
    if (item.kind === 'account') {
      return [
        { method: 'eth_getBalance', params: [item.target, block] },
        // An account may well have no code; a node without the state shows it by the balance.
        { method: 'eth_getCode', params: [item.target, block], withPrevious: true },
      ];
    }
    if (item.kind === 'wei') return [{ method: 'eth_getBalance', params: [item.target, block] }];
    if (item.kind === 'program') {
      const { program, input, maxBytes } = item;
      const run = { program, input, mostBytes: HEAD_BYTES + maxBytes };
      return [{ method: 'eth_call', params: [{}, block], run }];
    }
    if (item.targetFromPrevious) throw new TypeError('plain calls cannot build on each other');
    return [{ method: 'eth_call', params: [{ to: item.target, data: item.data, ...bound }, block] }];
  });
}

/**
 * Reads the outcomes of `encodeDirectCalls`.
 * @param check gets the block's facts from a program among them
 * @throws {NodeError} for every error that is not the contract's, and for results that are none: an empty
 * list, say, as a node may answer without state
 */
export function decodeDirectCalls(
  items: readonly MulticallItem[],
  outcomes: readonly RpcOutcome[],
  check: (head: ProgramHead) => void,
): readonly MulticallResult[] {
  const next = outcomes.values();
  const read = (item: MulticallItem): MulticallResult => {
    const outcome = next.next().value;
    if (item.kind === 'account') return readAccount(outcome, next.next().value);
    if (item.kind === 'wei') return { status: 'wei', wei: quantityToBigInt(resultOf(outcome)) };
    if (item.kind === 'program') return readProgram(outcome, check);
    return readCall(item.maxBytes, outcome);
  };
  return orMalformed('the node returned an unexpected result', () => items.map(read));
}

function readAccount(wei: RpcOutcome | undefined, code: RpcOutcome | undefined): AccountResult {
  const bytes = dataToBytes(resultOf(code));
  return { status: 'account', wei: quantityToBigInt(resultOf(wei)), codeSize: bytes.length, code: bytes };
}

function readProgram(outcome: RpcOutcome | undefined, check: (head: ProgramHead) => void): CallResult {
  const bytes = dataToBytes(resultOf(outcome));
  check(readProgramHead(bytes));
  const data = bytes.subarray(HEAD_BYTES);
  return { status: 'ok', size: data.length, gasUsed: 0, data };
}

const OUT_OF_GAS = /\bout ?of ?gas\b/i;

/** Clients answer a failed call with an error that is about the contract. */
function readCall(maxBytes: number, outcome: RpcOutcome | undefined): CallResult {
  if (outcome && 'error' in outcome && outcome.error.kind === 'reverted') {
    const outOfGas = OUT_OF_GAS.test(outcome.error.message);
    return { status: 'failed', size: 0, gasUsed: 0, data: Buffer.alloc(0), outOfGas };
  }
  const bytes = dataToBytes(resultOf(outcome));
  return { status: 'ok', size: bytes.length, gasUsed: 0, data: bytes.subarray(0, maxBytes) };
}
