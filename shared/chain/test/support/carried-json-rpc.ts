/** For tests: a node over HTTP with a carrier, as `openNode` opens each of a pool. */
import { systemClock } from '@hindsight/kernel/clock.ts';
import { TODAYS_RULES, type Network } from '../../src/networks.ts';
import { createJsonRpcNode } from '../../src/rpc/json-rpc.ts';
import { carryPrograms, type CarriedNode } from '../../src/state/multicall/carriers/carried-node.ts';
import { PATIENT } from './patient.ts';

/** Creates it, with time for slow machines; it is probed when it is first asked to run a program. */
export function carriedJsonRpc(
  options: Parameters<typeof createJsonRpcNode>[0],
  network: Pick<Network, 'rules'> = { rules: [TODAYS_RULES] },
): CarriedNode {
  return carryPrograms(createJsonRpcNode({ ...PATIENT, ...options }), {
    network,
    clock: systemClock,
  });
}
