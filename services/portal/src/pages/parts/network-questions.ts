/** Sample questions by network: of any other than mainnet about the coins that its wrapped coin stands for. */
import type { ShownNetwork } from '../../domain/shown-networks.ts';
import type { Showcase } from '../showcase.ts';
import type { WalletQuestion } from '../wallet.ts';
import type { PeriodQuestion } from '../wallet-period.ts';
import {
  DEV_CHAIN_QUESTIONS,
  MAINNET_QUESTIONS,
  type DemoQuestion,
  type Questions,
} from './demo-questions.ts';
import { DEV_CHAIN_PERIOD, DEV_CHAIN_WALLETS, MAINNET_PERIOD, MAINNET_WALLETS } from './wallet-questions.ts';

const OP_STACK_WETH = '0x4200000000000000000000000000000000000006';

/** The contract of the wrapped coin; it holds a coin for each of its tokens. */
const WRAPPED: Readonly<Record<string, string>> = {
  'base-mainnet': OP_STACK_WETH,
  'op-mainnet': OP_STACK_WETH,
  'unichain-mainnet': OP_STACK_WETH,
  'arb-mainnet': '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
  'polygon-mainnet': '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
  'bnb-mainnet': '0xbb4CdB9CbD36B01bD1cBaEBF2De08d9173bc095c',
  'gnosis-mainnet': '0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d',
  sepolia: '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14',
};
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/** For the demo; those of the development chain are shown where the chain turns out to be that. */
export function demoQuestions(network: ShownNetwork): {
  readonly standard: Questions;
  readonly devChain?: Questions;
} {
  if (isMainnet(network)) return { standard: MAINNET_QUESTIONS, devChain: DEV_CHAIN_QUESTIONS };
  const question: DemoQuestion = { ...holderOf(network), token: '' };
  return { standard: [question] };
}

export function walletQuestions(
  network: ShownNetwork,
  { devChain }: Showcase,
): readonly (WalletQuestion & { readonly title: string })[] {
  if (isMainnet(network)) return devChain ? DEV_CHAIN_WALLETS : MAINNET_WALLETS;
  return [{ ...holderOf(network), block: '', date: '' }];
}

/** For the page of a wallet over a period: nothing to ask where no period is known to be interesting. */
export function periodQuestion(network: ShownNetwork, { devChain }: Showcase): PeriodQuestion {
  if (isMainnet(network)) return devChain ? DEV_CHAIN_PERIOD : MAINNET_PERIOD;
  return { holder: holderOf(network).holder, from: '', to: '' };
}

/** For a terminal. @param example of mainnet */
export function exampleOf(network: ShownNetwork, example: Showcase['example']): Showcase['example'] {
  if (isMainnet(network)) return example;
  const { title, holder } = holderOf(network);
  return { says: `${title}.`, path: `/v1/${network.name}/balance/native?holder=${holder}` };
}

function isMainnet({ name }: ShownNetwork): boolean {
  return name === 'eth-mainnet';
}

function holderOf({ name, native: { symbol } }: ShownNetwork): { title: string; holder: string } {
  const wrapped = WRAPPED[name];
  return wrapped === undefined
    ? { title: `The ${symbol} of the zero address`, holder: ZERO_ADDRESS }
    : { title: `All wrapped ${symbol}`, holder: wrapped };
}
