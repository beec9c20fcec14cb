/** The methods that read the data of a block: what a pool has to know of each. */

/** Data that nodes keep and drop separately, by eth_capabilities' names. */
export type Resource = 'state' | 'logs' | 'stateproofs';

interface ReadMethod {
  readonly resource: Resource;
  /** The position of its block, or of its range, among the parameters. */
  readonly at: number;
  /** Its result is a hex string: a node that answers with nothing has no state there. */
  readonly isHex?: true;
}

export const READ_METHODS: Readonly<Partial<Record<string, ReadMethod>>> = {
  eth_call: { resource: 'state', at: 1, isHex: true },
  eth_getBalance: { resource: 'state', at: 1, isHex: true },
  eth_getCode: { resource: 'state', at: 1, isHex: true },
  eth_getTransactionCount: { resource: 'state', at: 1, isHex: true },
  eth_createAccessList: { resource: 'state', at: 1 },
  eth_getProof: { resource: 'stateproofs', at: 2 },
  eth_getLogs: { resource: 'logs', at: 0 },
};
