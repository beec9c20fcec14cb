/** Sample questions for the pages of a wallet at a date and over a period. */
import type { WalletQuestion } from '../wallet.ts';
import type { PeriodQuestion } from '../wallet-period.ts';

type Example = WalletQuestion & { readonly title: string };

const at = (title: string, holder: string, block: number): Example => ({
  title,
  holder,
  block: String(block),
  date: '',
});

/** Of the development chain: it is paid in ether and in MKR. */
const PAID_WALLET = '0xEf3376f43Cc28791b45b89c0F5fcA93a7CF4b4D5';
const YEAR_2022 = { from: '2022-01-01T00:00', to: '2023-01-01T00:00' };

/** Of the development chain (devchain/README.md). */
export const DEV_CHAIN_WALLETS: readonly Example[] = [
  at('alice.eth, with approvals', 'alice.eth', 18_000_000),
  at('treasury.eth, a block before it moved', 'treasury.eth', 17_999_999),
  at('treasury.eth, a block later', 'treasury.eth', 18_000_000),
  { title: 'bob.eth on 26 August 2023, 16:10', holder: 'bob.eth', block: '', date: '2023-08-26T16:10' },
  {
    title: 'A wallet paid in MKR, at the end of 2022',
    holder: PAID_WALLET,
    block: '',
    date: '2022-12-31T23:59',
  },
];

export const MAINNET_WALLETS: readonly Example[] = [
  at('Uniswap’s treasury at block 18,000,000', '0x1a9C8182C09F50C8318d769245beA52c32BE35BC', 18_000_000),
  {
    title: 'The ENS treasury at the end of 2022',
    holder: 'wallet.ensdao.eth',
    block: '',
    date: '2022-12-31T23:59',
  },
];

export const DEV_CHAIN_PERIOD: PeriodQuestion = { holder: PAID_WALLET, ...YEAR_2022 };

export const MAINNET_PERIOD: PeriodQuestion = { holder: 'wallet.ensdao.eth', ...YEAR_2022 };
