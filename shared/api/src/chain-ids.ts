/** The id of each known chain, by its network's name in paths. */
export const CHAIN_IDS = {
  'eth-mainnet': 1,
  'base-mainnet': 8_453,
  'op-mainnet': 10,
  'unichain-mainnet': 130,
  'arb-mainnet': 42_161,
  'polygon-mainnet': 137,
  'bnb-mainnet': 56,
  'gnosis-mainnet': 100,
  sepolia: 11_155_111,
} as const;
