import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { afterAll, expect, it } from '@jest/globals';
import { NodeError } from '../rpc/node-error.ts';
import { observeNode } from '../rpc/observed-node.ts';
import { nodeDuration, reportHealth } from './measure-nodes.ts';

const telemetry = createTelemetry('test');
const meter = telemetry.meter('hindsight.chain');
afterAll(() => telemetry.stop());

it('requests to a node are measured, with what went wrong', async () => {
  const failures = [undefined, new NodeError('timeout', 'too slow')];
  const node = observeNode(
    {
      label: 'node 1',
      async send() {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return [{ result: '0x1' }];
      },
      close: async () => undefined,
    },
    'eth-mainnet',
    nodeDuration(meter),
  );
  expect(await node.send([{ method: 'eth_call', params: [] }])).toEqual([{ result: '0x1' }]);
  await expect(node.send([])).rejects.toThrow('too slow');
  const text = await telemetry.metricsText();
  const of = 'rpc_system_name="jsonrpc",server_address="node 1",hindsight_network="eth-mainnet"';
  expect(text).toContain(`rpc_client_call_duration_count{${of}`);
  expect(text).toContain(`rpc_client_call_duration_count{${of},error_type="timeout"`);
});

it('each node reports whether it is asked, how far it is behind, and how old its finalized block is', async () => {
  reportHealth(
    () => [
      { label: 'near', state: 'ok', head: 100, lag: 0, oldest: {} },
      { label: 'far', state: 'lagging', head: 90, lag: 10, oldest: {} },
      { label: 'dead', state: 'down', oldest: {} },
      { label: 'stale', state: 'ok', finality: { age: 900, believed: false }, oldest: {} },
      { label: 'young', state: 'ok', finality: { age: 70, believed: true }, oldest: {} },
    ],
    'eth-mainnet',
    meter,
  );
  // Behind the same host, as a provider of several networks is.
  reportHealth(() => [{ label: 'near', state: 'down', oldest: {} }], 'base-mainnet', meter);
  const samples = (await telemetry.metricsText()).matchAll(
    /^hindsight_node_(\w+)\{server_address="(\w+)",hindsight_network="([\w-]+)".*\} (\d+)$/gm,
  );
  const said = [...samples].map(([, what, node, network, value]) => `${network} ${node} ${what} ${value}`);
  expect(said.sort()).toEqual([
    'base-mainnet near available 0',
    'eth-mainnet dead available 0',
    'eth-mainnet far available 1',
    'eth-mainnet far lag 10',
    'eth-mainnet near available 1',
    'eth-mainnet near lag 0',
    'eth-mainnet stale available 1',
    'eth-mainnet stale finality_believed 0',
    'eth-mainnet stale finalized_age 900',
    'eth-mainnet young available 1',
    'eth-mainnet young finality_believed 1',
    'eth-mainnet young finalized_age 70',
  ]);
});

it('what a node no longer has is not reported: the carrier of before, and how far it was behind', async () => {
  let carriage = { carrier: 'revert' };
  let state = { state: 'lagging', lag: 12, carriage };
  reportHealth(() => [{ label: 'changing', oldest: {}, ...state } as never], 'sepolia', meter);
  const said = async (): Promise<string[]> =>
    [
      ...(await telemetry.metricsText()).matchAll(
        /^hindsight_node_(\w+)\{server_address="changing",hindsight_network="sepolia"(?:,carrier="(\w+)")?.*\} (\d+)$/gm,
      ),
    ].map(([, what, carrier, value]) => `${what} ${carrier ?? value}`);
  expect((await said()).sort()).toEqual(['available 1', 'carrier revert', 'lag 12']);
  carriage = { carrier: 'returned' };
  state = { state: 'down', carriage } as never;
  expect((await said()).sort()).toEqual(['available 0', 'carrier returned']);
});
