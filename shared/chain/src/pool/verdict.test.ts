import { expect, it } from '@jest/globals';
import type { RpcCall, RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { judge } from './verdict.ts';

const AT = '0x5';
const CONTRACT = `0x${'1'.repeat(40)}`;
const call = (method: string, ...params: readonly unknown[]): RpcCall => ({ method, params });
const refusal: RpcOutcome = { error: new NodeError('refused', 'no such block') };
const empty: RpcOutcome = { result: '0x' };

it.each<[string, RpcCall, RpcOutcome, string]>([
  ['an empty answer of a contract', call('eth_call', { to: CONTRACT }, AT), empty, 'answered'],
  ['an empty answer of a program', call('eth_call', { data: '0x00' }, AT), empty, 'refused'],
  ['an empty balance', call('eth_getBalance', CONTRACT, AT), empty, 'refused'],
  ['the code of an address without any', call('eth_getCode', CONTRACT, AT), empty, 'answered'],
  ['code that is no text', call('eth_getCode', CONTRACT, AT), { result: [] }, 'refused'],
  ['no finalized block', call('eth_getBlockByNumber', 'finalized', false), refusal, 'answered'],
  ['no safe block', call('eth_getBlockByNumber', 'safe', false), refusal, 'answered'],
  ['no newest block', call('eth_getBlockByNumber', 'latest', false), refusal, 'refused'],
])('%s is judged by what it can mean', (_what, asked, outcome, verdict) => {
  expect(judge([asked], [outcome], 0)).toBe(verdict);
});

it('a call without an outcome has failed, and with it its batch', () => {
  const code = call('eth_getCode', CONTRACT, AT);
  expect(judge([code, code], [empty], 0)).toBe('failed');
});
