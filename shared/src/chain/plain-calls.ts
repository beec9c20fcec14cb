/**
 * A probe's questions as JSON-RPC calls of their own, all in one HTTP request: for blocks before Byzantium, whose rules
 * lack instructions that the probe's program uses.
 */
import { dataToBytes } from './hex.ts';
import { resultOf, type RpcCall, type RpcOutcome } from './node.ts';
import type { AccountResult, CallResult, ProbeItem, ProbeResult } from './probe/probe.ts';

/** The calls that ask the items at a block (a quantity, or EIP-1898's object). */
export function encodePlainCalls(items: readonly ProbeItem[], block: unknown): readonly RpcCall[] {
  return items.flatMap((item): RpcCall[] => {
    if (item.kind === 'account') {
      return [
        { method: 'eth_getBalance', params: [item.target, block] },
        { method: 'eth_getCode', params: [item.target, block] },
      ];
    }
    return [{ method: 'eth_call', params: [{ to: item.target, data: item.data }, block] }];
  });
}

/** Reads the outcomes of `encodePlainCalls`. @throws {NodeError} for every error that is not the contract's own. */
export function decodePlainCalls(
  items: readonly ProbeItem[],
  outcomes: readonly RpcOutcome[],
): readonly ProbeResult[] {
  let at = 0;
  return items.map((item) => {
    if (item.kind === 'account') {
      at += 2;
      return readAccount(outcomes[at - 2], outcomes[at - 1]);
    }
    at += 1;
    return readCall(item.maxBytes, outcomes[at - 1]);
  });
}

function readAccount(wei: RpcOutcome | undefined, code: RpcOutcome | undefined): AccountResult {
  return {
    status: 'account',
    wei: BigInt(resultOf(wei) as string),
    codeSize: dataToBytes(resultOf(code)).length,
  };
}

/**
 * Before Byzantium a failed call has no REVERT and no data: clients answer with an error ("invalid opcode", "out of
 * gas", "bad jump destination") that is about the contract.
 */
const CONTRACT_FAULT =
  /invalid (?:opcode|jump|instruction)|out of gas|bad (?:jump|instruction)|stack (?:under|over)flow|gas (?:uint64 )?overflow|evm error|invalidfeopcode|opcodenotfound|invalidjump|outofgas/i;

function readCall(maxBytes: number, outcome: RpcOutcome | undefined): CallResult {
  if (outcome && 'error' in outcome) {
    const { error } = outcome;
    if (error.kind === 'reverted' || CONTRACT_FAULT.test(error.message)) {
      return { status: 'failed', size: 0, gasUsed: 0, data: Buffer.alloc(0) };
    }
  }
  const bytes = dataToBytes(resultOf(outcome));
  return { status: 'ok', size: bytes.length, gasUsed: 0, data: bytes.subarray(0, maxBytes) };
}
