/** Known networks, as data. Each main.ts decides which of them its process serves. */
import { CHAIN_IDS } from '@hindsight/api/chain-ids.ts';

export interface Network {
  /** As in the path, for instance `eth-mainnet`. */
  readonly name: string;
  readonly chainId: number;
  readonly native: NativeCoin;
  /** The first block under Byzantium's rules, from which on the multicall's program runs. */
  readonly byzantiumBlock: number;
  /** Limits and costs of programs after each fork, oldest first. */
  readonly rules: readonly [ForkRules, ...ForkRules[]];
  /**
   * The sign that transfers of ether make logs (EIP-7708): headers that commit to access lists (EIP-7928), where both
   * come with one fork. Undefined where nothing is known to show it: such logs are then not relied on.
   */
  readonly etherLogsShownBy?: 'block-access-lists';
  /** Contracts whose standard does not show in their code, by lower-cased address. */
  readonly tokenTypes: Readonly<Record<string, 'erc20' | 'erc721'>>;
  /** The addresses of the ENS registry, newest first; a network without any has no names. */
  readonly ensRegistries?: readonly [EnsRegistry, ...EnsRegistry[]];
  /** When a block counts as final; by default once the node's `finalized` tag has reached it. */
  readonly finality?: FinalityRule;
  /** True if its nodes answer from a block that is not canonical although `requireCanonical` was sent (EIP-1898). */
  readonly ignoresCanonical?: true;
  /**
   * The first block that can be answered, where those before it were made by another EVM, which the nodes of today do not
   * run; else all are.
   */
  readonly firstBlock?: number;
  /**
   * Source of a block's height and its parent's hash in the EVM, if not NUMBER and BLOCKHASH: on Arbitrum those are of
   * the first layer.
   */
  readonly heightFrom?: 'arbsys';
}

/**
 * When blocks are final: by the tag `finalized`, unless it is more than `greatestAge` blocks behind the head, since a tag that
 * stands still says nothing of the blocks that nodes agree on; or by their depth below the head, where nodes have no such tag.
 * Never by `safe`, which some nodes set by rules of their own.
 */
export type FinalityRule =
  | { readonly tag: 'finalized'; readonly greatestAge: number }
  | { readonly depth: number };

interface NativeCoin {
  /** As people write it, for instance `ETH`. */
  readonly symbol: string;
  /** Digits after the decimal point of a whole coin. */
  readonly decimals: number;
}

/** Limits and costs of a program, from a time on: EIP-3860 and EIP-170; before them nodes allowed as much. */
export const TODAYS_RULES = {
  /** Unix seconds. */
  since: 0,
  /** Bytes of init code. */
  maxInitCode: 49_152,
  /** Bytes of a contract's code, and so of the code that init code returns. */
  maxCode: 24_576,
  /** Gas for each byte that init code returns. */
  depositGas: 200,
  /** The most gas that one execution gets. */
  maxGas: Infinity,
};
export type ForkRules = Readonly<typeof TODAYS_RULES>;

/** EIP-7954, EIP-8037 and EIP-7825 as eth_call has them since Glamsterdam, on a network that has it from that time on. */
export function amsterdamRules(since: number): ForkRules {
  return { since, maxInitCode: 131_072, maxCode: 65_536, depositGas: 1_530, maxGas: 2 ** 24 };
}

/** The rules of a block, by its time in Unix seconds. */
export function rulesAt(rules: Network['rules'], time: number): ForkRules {
  return rules.findLast(({ since }) => since <= time) ?? rules[0];
}

interface EnsRegistry {
  readonly address: string;
  /** The first block with its code. */
  readonly since: number;
}

/** Lower case. It names the owner of an id by a function of its own, and its Transfer has the number moved, which is 1, and no id. */
export const CRYPTO_PUNKS = '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';

const ETHER: NativeCoin = { symbol: 'ETH', decimals: 18 };

/**
 * Ethereum's main network. Byzantium: EIP-609. CryptoKitties answers ERC-165 with an interface id from before
 * ERC-721 was final; CryptoPunks is older than any standard and looks like an ERC-20. The ENS registry was
 * replaced in 2020 by one that falls back to the old one for names that have not moved yet.
 */
export const ETH_MAINNET: Network = {
  name: 'eth-mainnet',
  chainId: CHAIN_IDS['eth-mainnet'],
  native: ETHER,
  byzantiumBlock: 4_370_000,
  // Glamsterdam's time is not decided yet. A node that has it already is served too: see state/multicall/carriers/probe.ts.
  rules: [TODAYS_RULES],
  // https://eips.ethereum.org/EIPS/eip-7773
  etherLogsShownBy: 'block-access-lists',
  tokenTypes: {
    '0x06012c8cf97bead5deae237070f9587f8e7a266d': 'erc721',
    [CRYPTO_PUNKS]: 'erc721',
  },
  ensRegistries: [
    { since: 9_380_380, address: '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e' },
    { since: 3_327_417, address: '0x314159265dD8dbb310642f98f50C066173C1259b' },
  ],
  // Two to three epochs of 32 slots where all is well.
  finality: { tag: 'finalized', greatestAge: 256 },
};

/** A chain whose rules were Byzantium's from its first block on. */
function young(name: keyof typeof CHAIN_IDS, finality: FinalityRule, native: NativeCoin = ETHER): Network {
  return {
    name,
    chainId: CHAIN_IDS[name],
    native,
    byzantiumBlock: 0,
    rules: [TODAYS_RULES],
    tokenTypes: {},
    finality,
  };
}

/** Final by the first layer, some 15 to 30 minutes after the block where all is well; believed for two hours. */
function finalByFirstLayer(blockSeconds: number): FinalityRule {
  return { tag: 'finalized', greatestAge: 7_200 / blockSeconds };
}

/** Contracts of up to 32 KiB since Ahmedabad, of September 2024, with some days of margin (Polygon's PIP-30). */
const POLYGON_CODE: ForkRules = { ...TODAYS_RULES, since: 1_727_740_800, maxCode: 32_768 };

const KNOWN: readonly Network[] = [
  ETH_MAINNET,
  // Base: https://docs.base.org/base-chain/quickstart/connecting-to-base
  young('base-mainnet', finalByFirstLayer(2)),
  // OP Mainnet. Blocks before Bedrock were made by another EVM, which today's nodes do not run:
  // https://github.com/ethereum-optimism/op-geth/blob/optimism/params/config.go
  { ...young('op-mainnet', finalByFirstLayer(2)), firstBlock: 105_235_063 },
  // Unichain: https://docs.unichain.org/docs/technical-information/network-information
  young('unichain-mainnet', finalByFirstLayer(1)),
  // Arbitrum One. Blocks before Nitro were made by another EVM. NUMBER in its EVM is the first layer's:
  // https://docs.arbitrum.io/build-decentralized-apps/arbitrum-vs-ethereum/block-numbers-and-time
  {
    ...young('arb-mainnet', finalByFirstLayer(0.25)),
    firstBlock: 22_207_817,
    ignoresCanonical: true,
    heightFrom: 'arbsys',
  },
  // Polygon PoS: https://docs.polygon.technology/pos/reference/rpc-endpoints/
  {
    // A milestone is seconds old; where there is none, nodes name the last checkpoint, of some half an hour.
    ...young('polygon-mainnet', { tag: 'finalized', greatestAge: 3_600 }, { symbol: 'POL', decimals: 18 }),
    rules: [TODAYS_RULES, POLYGON_CODE],
  },
  // BNB Smart Chain: https://docs.bnbchain.org/bnb-smart-chain/developers/json_rpc/json-rpc-endpoint/
  // Fast finality is two blocks behind the head; without votes nodes fall back to a depth.
  young('bnb-mainnet', { tag: 'finalized', greatestAge: 1_000 }, { symbol: 'BNB', decimals: 18 }),
  // Gnosis: https://docs.gnosischain.com/about/networks/mainnet. Epochs of 16 slots.
  young('gnosis-mainnet', { tag: 'finalized', greatestAge: 256 }, { symbol: 'xDAI', decimals: 18 }),
  // Ethereum's test network.
  { ...young('sepolia', { tag: 'finalized', greatestAge: 256 }), etherLogsShownBy: 'block-access-lists' },
];

/** All known networks, by name, in the order in which they are listed; one here is served only where it has a node. */
export const NETWORKS: ReadonlyMap<string, Network> = new Map(
  KNOWN.map((network) => [network.name, network]),
);
