/** The contracts with token events in a range, and the first event of each. */
import { ETHER_LOGS } from '@hindsight/chain/tokens/token-events.ts';
import type { LogReduction } from '@hindsight/indexing/range-reading.ts';
import { TRANSFER_TOPICS, type ContractsSeen, type FirstSeen } from '../domain/transfers.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** Reduces events to the contracts that they come from. */
export const FIRST_SEEN: LogReduction<ContractsSeen> = {
  topics: TRANSFER_TOPICS,
  start() {
    const contracts = new Map<string, FirstSeen>();
    return {
      found: contracts,
      take({ address }, { number: block, hash: blockHash }) {
        // Most logs are of contracts that the range has shown already, in the same spelling.
        const known = contracts.get(String(address));
        if (known !== undefined && known.block <= block) return;
        if (typeof address !== 'string' || !ADDRESS.test(address))
          throw new TypeError('a log without an address');
        const contract = address.toLowerCase();
        // Ether's transfers belong to no token, and their address has no contract.
        if (contract === ETHER_LOGS) return;
        const earlier = contracts.get(contract);
        if (earlier === undefined || block < earlier.block)
          contracts.set(contract, { address: contract, block, blockHash });
      },
    };
  },
  join: (first, second) => new Map([...second, ...first]),
};
