/** Sample questions for the demo. */

/** A holder and a token with an interesting history. */
export interface DemoQuestion {
  /** In a few words. */
  readonly title: string;
  /** Token address; empty: ether. */
  readonly token: string;
  readonly holder: string;
  /** The first block of the picture. */
  readonly from: number;
  /** The initial position of the red line; the middle if not set. */
  readonly block?: number;
}

const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const UNI = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';
const STETH = '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84';

/** From here on, all of its tokens and most of its names exist. */
const BEGINNING = 17_999_857;

/** Of the development chain (devchain/README.md). */
export const DEV_CHAIN_QUESTIONS: readonly [DemoQuestion, ...DemoQuestion[]] = [
  {
    title: 'Trent wraps and unwraps ether',
    token: WETH,
    holder: '0x6EC4Ec075fD25cD70Cd8BCA6053E82DEe203fbB5',
    from: BEGINNING,
    block: 18_000_000,
  },
  {
    title: 'Alice spends her UNI',
    token: UNI,
    holder: '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8',
    from: BEGINNING,
  },
  {
    title: 'Heidi’s stETH rebases',
    token: STETH,
    holder: '0xe1e1E9EC1DA0FB4074f41D2E1063CC1F60170F3C',
    from: BEGINNING,
    block: 18_000_050,
  },
  {
    title: 'treasury.eth, a name that moves',
    token: USDC,
    holder: 'treasury.eth',
    from: BEGINNING,
    block: 18_000_000,
  },
];

/** Of mainnet: well-known holders, from about their beginning. */
export const MAINNET_QUESTIONS: readonly [DemoQuestion, ...DemoQuestion[]] = [
  {
    title: 'USDC in the USDC/WETH pool of Uniswap v3',
    token: USDC,
    holder: '0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640',
    from: 12_376_000,
    block: 18_000_000,
  },
  {
    title: 'WETH in the same pool',
    token: WETH,
    holder: '0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640',
    from: 12_376_000,
    block: 18_000_000,
  },
  {
    title: 'UNI in Uniswap’s treasury',
    token: UNI,
    holder: '0x1a9C8182C09F50C8318d769245beA52c32BE35BC',
    from: 10_861_000,
  },
  { title: 'The ether of vitalik.eth', token: '', holder: 'vitalik.eth', from: 9_500_000 },
];
