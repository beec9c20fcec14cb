/**
 * The reactors that settle orders, by chain and encoding. An address is known for its own chain only: on another chain the same
 * one may belong to anyone. Source of all, but where another is named: `REACTOR_ADDRESS_MAPPING` of the protocol's SDK, 3.1.0
 * (https://github.com/Uniswap/sdks/blob/main/sdks/uniswapx-sdk/src/constants.ts), which a test compares.
 */
import type { OrderType } from './order.ts';

/** Encoding of an order. Limit orders are encoded as Dutch ones. */
export type EncodingName = Exclude<OrderType, 'Limit'>;

type Reactors = Partial<Record<EncodingName, readonly string[]>>;

/** The reactors by chain id. */
export const REACTORS: Readonly<Record<number, Reactors>> = {
  // Ethereum
  1: {
    // The second is version 1.0.0, of July 2023: https://github.com/Uniswap/UniswapX/tree/v1.0.0
    Dutch: ['0x6000da47483062A0D734Ba3dc7576Ce6A0B645C4', '0xe80bF394d190851E215D5F67B67f8F5A52783F1E'],
    Dutch_V2: ['0x00000011F84B9aa48e5f8aA8B9897600006289Be'],
    Dutch_V3: ['0x0000000015757c461808EA25Eb309638B62681cf'],
  },
  // OP Mainnet
  10: { Dutch_V3: ['0x000000000923439A92daE8930613568824108631'] },
  // BNB Smart Chain
  56: { Dutch_V3: ['0x00000000a55e50C71b70Db3C8B58749cd1E18eB2'] },
  // Unichain
  130: {
    Priority: ['0x00000006021a6Bce796be7ba509BBBA71e956e37'],
    Dutch_V3: ['0x000000005aF66799D1a6317714D66800f9CA1406'],
  },
  // Polygon
  137: {
    Dutch: ['0x6000da47483062A0D734Ba3dc7576Ce6A0B645C4'],
    Dutch_V3: ['0x00000000bAB6E234db8AD638B6A6395b7c499Bc4'],
  },
  // Monad
  143: { Dutch_V3: ['0x000000000Ac008F7e07210CFb6648e40249232c2'] },
  // X Layer
  196: { Dutch_V3: ['0x000000005aF66799D1a6317714D66800f9CA1406'] },
  // World Chain
  480: { Dutch_V3: ['0x00000000d714EA34028930b762E96bFBe50F42C2'] },
  // Soneium
  1868: { Dutch_V3: ['0x000000005aF66799D1a6317714D66800f9CA1406'] },
  // Tempo
  4217: { Dutch_V3: ['0x00000000fc1E66C9f582566EAd00108e55F1c0C6'] },
  // Robinhood Chain
  4663: { Dutch_V3: ['0x000000007A1C8e570011EeDF86A2A35593013cBA'] },
  // Arc
  5042: { Dutch_V3: ['0x0000000015134054eA82AE0bb9fda66b36402C36'] },
  // Base
  8453: {
    Priority: ['0x000000001Ec5656dcdB24D90DFa42742738De729'],
    Dutch_V3: ['0x000000008a8330B5d1F43A62Bf4C673A49f27ba0'],
  },
  // Arbitrum One
  42161: {
    Dutch_V2: ['0x1bd1aAdc9E230626C44a139d7E70d842749351eb'],
    Dutch_V3: ['0xB274d5F4b833b61B340b654d600A864fB604a87c'],
  },
  // Celo
  42220: { Dutch_V3: ['0x00000000B8077fdf2281A80bE96f6c282B5d943A'] },
  // Avalanche
  43114: { Dutch_V3: ['0x00000000862cCF095823fc7576Fa6C7e6b7385ef'] },
  // Ink
  57073: { Dutch_V3: ['0x000000007A1C8e570011EeDF86A2A35593013cBA'] },
  // Blast
  81457: { Dutch_V3: ['0x0000000086f50C5E1a2500602183D4390A7FFc98'] },
  // Zora
  7777777: { Dutch_V3: ['0x000000002C9A3812e15cf233190992E9a57EDB56'] },
  // Sepolia
  11155111: {
    Dutch: ['0xD6c073F2A3b676B8f9002b276B618e0d8bA84Fad'],
    Dutch_V2: ['0x0e22B6638161A89533940Db590E67A52474bEBcd'],
  },
};

/**
 * The reactor of relay orders, which are not accepted here. They spend nonces of Permit2 too, so the fill of
 * one can cancel an order. Source: the SDK's mapping, as above.
 */
const RELAY_REACTOR = '0x0000000000A4e21E2597DCac987455c48b12edBF'.toLowerCase();
const RELAY_CHAINS: ReadonlySet<number> = new Set([1, 137, 11155111]);

/** True for a contract whose event Fill or Relay proves that the nonce of an order, of any type, was spent. */
export function isReactor(chainId: number, address: string): boolean {
  const isRelay = RELAY_CHAINS.has(chainId) && address.toLowerCase() === RELAY_REACTOR;
  return isRelay || encodingOf(chainId, address) !== undefined;
}

/** The encoding of the orders that a reactor settles; undefined for an address that is no reactor of that chain. */
export function encodingOf(chainId: number, reactor: string): EncodingName | undefined {
  const wanted = reactor.toLowerCase();
  const known = Object.entries(REACTORS[chainId] ?? {}) as [EncodingName, readonly string[]][];
  return known.find(([, addresses]) => addresses.some((address) => address.toLowerCase() === wanted))?.[0];
}
