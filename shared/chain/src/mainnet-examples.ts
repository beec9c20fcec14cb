const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const USDC_WETH_POOL = '0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640';

export const MAINNET_EXAMPLES = [
  { says: 'What does the USDC/WETH pool hold of USDC?', path: balance(USDC, USDC_WETH_POOL) },
  { says: 'And at block 18,000,000?', path: balance(USDC, USDC_WETH_POOL, 18_000_000) },
  { says: 'And of WETH then?', path: balance(WETH, USDC_WETH_POOL, 18_000_000) },
] as const;

export const MAINNET_PAST_EXAMPLE = {
  says: 'What did Uniswap’s USDC/WETH pool hold of USDC at block 18,000,000?',
  path: MAINNET_EXAMPLES[1].path,
} as const;

function balance(token: string, holder: string, height?: number): string {
  const at = height === undefined ? '' : `&block_height=${height}`;
  return `/v1/eth-mainnet/balance/single?token_address=${token}&holder=${holder}${at}`;
}
