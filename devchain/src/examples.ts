/** Questions to the API with interesting answers on the dev chain. */
import { HOLDERS, TOKENS } from './world.ts';

/** Each is a question in words and the path that asks it. */
export const EXAMPLES = [
  { says: 'What does alice hold of USDC?', path: balance(TOKENS.usdc.address, HOLDERS.alice) },
  { says: 'And at block 18,000,000?', path: balance(TOKENS.usdc.address, HOLDERS.alice, 18_000_000) },
  { says: 'How many apes did ivan have then?', path: balance(TOKENS.bayc.address, HOLDERS.ivan, 18_000_000) },
] as const;

export const PAST_EXAMPLE = {
  says: 'What did this wallet hold of USDC at block 18,000,000?',
  path: EXAMPLES[1].path,
} as const;

function balance(token: string, holder: string, height?: number): string {
  const at = height === undefined ? '' : `&block_height=${height}`;
  return `/v1/eth-mainnet/balance/single?token_address=${token}&holder=${holder}${at}`;
}
