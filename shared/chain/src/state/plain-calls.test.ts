import { describe, expect, it } from '@jest/globals';
import { fromRpcError, NodeError } from '../rpc/node-error.ts';
import { decodeDirectCalls } from './plain-calls.ts';
import type { RpcOutcome } from '../rpc/node.ts';
import type { MulticallItem } from './multicall/multicall.ts';

const target = `0x${'11'.repeat(20)}`;
const ACCOUNT: readonly MulticallItem[] = [{ kind: 'account', target }];
const CALL: readonly MulticallItem[] = [{ kind: 'call', target, data: '0x', gas: 1, maxBytes: 32 }];

const decode = (items: readonly MulticallItem[], outcomes: readonly RpcOutcome[]) =>
  decodeDirectCalls(items, outcomes, () => undefined);

describe('results of plain calls', () => {
  it('are what they say', () => {
    const results = decode(ACCOUNT, [{ result: '0x10' }, { result: '0x6001' }]);
    expect(results).toEqual([{ status: 'account', wei: 16n, codeSize: 2, code: Buffer.from('6001', 'hex') }]);
  });

  // Each of these would be zero wei, or no code, to a careless reader.
  it.each([[[]], [''], ['0x'], [null], [0], [{}]])('are not believed to be amounts: %j', (wei) => {
    const read = (): unknown => decode(ACCOUNT, [{ result: wei }, { result: '0x' }]);
    expect(read).toThrow(expect.objectContaining({ name: 'NodeError', kind: 'malformed' }));
  });

  it.each([[[]], [''], [null], ['0x1']])('are not believed to be bytes: %j', (data) => {
    const malformed = expect.objectContaining({ kind: 'malformed' });
    expect(() => decode(ACCOUNT, [{ result: '0x0' }, { result: data }])).toThrow(malformed);
    expect(() => decode(CALL, [{ result: data }])).toThrow(malformed);
  });

  it('are failures where the contract failed, and errors where the node did', () => {
    const outOfGas = fromRpcError('node', { code: -32000, message: 'out of gas' });
    expect(decode(CALL, [{ error: outOfGas }])).toMatchObject([{ status: 'failed' }]);
    const pruned = new NodeError('missing-state', 'gone');
    expect(() => decode(CALL, [{ error: pruned }])).toThrow(pruned);
  });
});
