/** A holder and a token with an interesting history. */
export interface DemoQuestion {
  /** In a few words. */
  readonly title: string;
  /** Token address; empty: ether. */
  readonly token: string;
  readonly holder: string;
  /** The first block of the picture; it has the last blocks if not set. */
  readonly from?: number | undefined;
  /** The initial position of the red line; the middle if not set. */
  readonly block?: number | undefined;
}

const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const UNI = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';
const STETH = '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84';
const ETHER = '';

/** Holders of the development chain (devchain/README.md). */
const TRENT = '0x6EC4Ec075fD25cD70Cd8BCA6053E82DEe203fbB5';
const ALICE = '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8';
const HEIDI = '0xe1e1E9EC1DA0FB4074f41D2E1063CC1F60170F3C';
/** From here on, all of its tokens and most of its names exist. */
const BEGINNING = 17_999_857;

/** Well-known holders of mainnet; questions start at about their first block. */
const USDC_WETH_POOL = '0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640';
const UNISWAP_TREASURY = '0x1a9C8182C09F50C8318d769245beA52c32BE35BC';

/** The first is shown to begin with. */
export type Questions = readonly [DemoQuestion, ...DemoQuestion[]];

const question = (title: string, token: string, holder: string, from: number, block?: number) => ({
  title,
  token,
  holder,
  from,
  block,
});

export const DEV_CHAIN_QUESTIONS: Questions = [
  question('Trent wraps and unwraps ether', WETH, TRENT, BEGINNING, 18_000_000),
  question('Alice spends her UNI', UNI, ALICE, BEGINNING),
  question('Heidi’s stETH rebases', STETH, HEIDI, BEGINNING, 18_000_050),
  question('treasury.eth, a name that moves', USDC, 'treasury.eth', BEGINNING, 18_000_000),
];

export const MAINNET_QUESTIONS: Questions = [
  question('USDC in the USDC/WETH pool of Uniswap v3', USDC, USDC_WETH_POOL, 12_376_000, 18_000_000),
  question('WETH in the same pool', WETH, USDC_WETH_POOL, 12_376_000, 18_000_000),
  question('UNI in Uniswap’s treasury', UNI, UNISWAP_TREASURY, 10_861_000),
  question('The ether of vitalik.eth', ETHER, 'vitalik.eth', 9_500_000),
];
