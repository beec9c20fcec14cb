/**
 * The reactors that settle orders, by chain and encoding. Addresses: the protocol's published deployments
 * (https://docs.uniswap.org/contracts/uniswapx, and its SDK's constants, 3.1.0). An address is known for its own chain
 * only: on another chain the same one may belong to anyone.
 */
import type { OrderType } from './order.ts';

/** Encoding of an order. Limit orders are encoded as Dutch ones. */
export type EncodingName = Exclude<OrderType, 'Limit'>;

type Reactors = Partial<Record<EncodingName, readonly string[]>>;

const REACTORS: Readonly<Record<number, Reactors>> = {
  1: {
    // The second is version 1.0.0, of July 2023: https://github.com/Uniswap/UniswapX/tree/v1.0.0
    Dutch: ['0x6000da47483062A0D734Ba3dc7576Ce6A0B645C4', '0xe80bF394d190851E215D5F67B67f8F5A52783F1E'],
    Dutch_V2: ['0x00000011F84B9aa48e5f8aA8B9897600006289Be'],
    Dutch_V3: ['0x0000000015757c461808EA25Eb309638B62681cf'],
  },
  10: { Dutch_V3: ['0x000000000923439A92daE8930613568824108631'] },
  56: { Dutch_V3: ['0x00000000a55e50C71b70Db3C8B58749cd1E18eB2'] },
  130: {
    Priority: ['0x00000006021a6Bce796be7ba509BBBA71e956e37'],
    Dutch_V3: ['0x000000005aF66799D1a6317714D66800f9CA1406'],
  },
  137: {
    Dutch: ['0x6000da47483062A0D734Ba3dc7576Ce6A0B645C4'],
    Dutch_V3: ['0x00000000bAB6E234db8AD638B6A6395b7c499Bc4'],
  },
  8453: {
    Priority: ['0x000000001Ec5656dcdB24D90DFa42742738De729'],
    Dutch_V3: ['0x000000008a8330B5d1F43A62Bf4C673A49f27ba0'],
  },
  42161: {
    Dutch_V2: ['0x1bd1aAdc9E230626C44a139d7E70d842749351eb'],
    Dutch_V3: ['0xB274d5F4b833b61B340b654d600A864fB604a87c'],
  },
};

/** The encoding of the orders that a reactor settles; undefined for an address that is no reactor of that chain. */
export function encodingOf(chainId: number, reactor: string): EncodingName | undefined {
  const wanted = reactor.toLowerCase();
  const known = Object.entries(REACTORS[chainId] ?? {}) as [EncodingName, readonly string[]][];
  return known.find(([, addresses]) => addresses.some((address) => address.toLowerCase() === wanted))?.[0];
}
