/** The network in production, and as a development chain needs it. */
import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';

/** Below its Byzantium block the service uses plain calls: all blocks of a short chain are below it. */
export const AS_SHIPPED: Network = ETH_MAINNET;

/** Development chains have all rules from their first block on. */
export const FROM_BYZANTIUM: Network = { ...ETH_MAINNET, byzantiumBlock: 0 };
