/**
 * People and contracts of the dev chain: names, addresses, heights. Pure data. The ledger (ledger.ts) has the
 * amounts; README.md has the same as a table.
 */

/**
 * Numbers and times of the story are mainnet's: block 18,000,000 has the number and the timestamp it has there. Before it
 * come years with a block a day.
 */
export const CHAIN = {
  id: 1,
  /** The first block of all, on 14 November 2021. */
  genesis: 17_999_200,
  /** Unix seconds. */
  genesisTime: 1_636_905_035,
  /** The block before the story, the last one that came after a day. */
  story: 17_999_850,
  storyTime: 1_693_065_035,
  head: 18_000_150,
  headTime: 1_693_068_767,
  /** Hash of the whole plan's last block: another hash means another chain. */
  headHash: '0xb1f24ec56de86c710d64df8ebbebbd42212e37d53badbccef3245a8a2e3762dc',
} as const;

/**
 * Accounts with a private key (keys.ts): they hold tokens and send all transactions but the first
 * deployments.
 */
export const HOLDERS = {
  alice: '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8',
  bob: '0x6984fd1E9929ED820cF3a0fe3877DFAA8d00ac1c',
  carol: '0x1a60CEd218f801744Aa3B6c9c04389092938F68c',
  dave: '0x7c6F4246e5B84F7beE9C7b49B7FF75A82dae8d45',
  erin: '0x2179be9594291b1EA4794f0eBDDa2FB8EB89D42d',
  frank: '0xc182eC4A1170D0Ea5735fF7597c918704A9A92b4',
  grace: '0x92b8955CdFF193D4F9E3df7C83D609e4D96eC773',
  heidi: '0xe1e1E9EC1DA0FB4074f41D2E1063CC1F60170F3C',
  ivan: '0x85D9cE23d16e06c4C33D331972DBe446147772aF',
  judy: '0x48444815C1B2f52dA25ed6e5adB491203078b6Ea',
  kevin: '0xC08C916FC2Ced7964C938f695CE30e43Dd55c693',
  laura: '0x984C44cE98B6fF6612dADDCB5be655C0Bc9cf12c',
  mallory: '0x2444a885a9464843F50f4fed6DEd98238B078037',
  nina: '0x7afc264DF3F77DDdBeB8d79514Da76A649C61c3F',
  oscar: '0x92aeeaE48B2D26Bcbd9A4B3A9f87Fb4aa4D3ec0b',
  peggy: '0x6bBA90803Ae3Ba7DBa8b66b32d319415982d1849',
  quentin: '0x4c6E85D2494101157417Aa190feE5E28622Be025',
  rupert: '0x1439C6B9343bC08915d67f5A8dEF11A691f465c5',
  sybil: '0x700C01143ABCABbEDd36256CEa4a67800a31e923',
  trent: '0x6EC4Ec075fD25cD70Cd8BCA6053E82DEe203fbB5',
  uma: '0xD86dF180637a4Ecd45a9c12Ae796260D6d3d0961',
  victor: '0xb99Dd140dcb09c39FBD03b15ff988648115fa7C3',
  walter: '0xeae7a29BD949A9b9eE90BC49cA62Ea02750F7a19',
  /** Pays everything it has to `vault` at block 18,000,000, when treasury.eth moves there too. */
  treasury: '0x0C9eB73c990B5324f522AD2A2d640304E1C0f1B7',
  vault: '0x1c9926817a331141EB2c1A762c796A766524a709',
  /** Spends allowances at LANDMARKS. */
  market: '0x647a8963028b49dC181042b1f511518e562Be8F8',
  /** Spends allowances all the time. */
  relay: '0x5259ed8BE0eeCD5369f75436A9EEe501DDb867F2',
  /** Rebases stETH, upgrades proxies, registers names. */
  oracle: '0x7005ED7E6BA2585BD2d2Be132DfEA8ED4857C76f',
  /** Deploys what has no real counterpart, and nothing else: the addresses follow from its nonces. */
  builder: '0xeA628C14Eed4a5264CB7910BB0CFccf26a3b0696',
  /** Is paid by `zoe` in the years before the story (story/years.ts), and rests from then on. */
  yvonne: '0xEf3376f43Cc28791b45b89c0F5fcA93a7CF4b4D5',
  zoe: '0x65Ab74c04Bf8841cB3081319a5197717be6eb58F',
} as const;

/** An address that never did or received anything. */
export const UNUSED_ADDRESS = '0x3CDd7613cc51Ca3E179F4C8dAC071F832C32d045';

export type HolderName = keyof typeof HOLDERS;

/** Name and symbol are those at the head; `since` is the first block at which the contract is there. */
export interface WorldToken {
  address: string;
  standard: 'erc20' | 'erc721' | 'erc1155';
  name: string;
  symbol: string;
  decimals: number | null;
  since: number;
}

export const TOKENS = {
  uni: token('0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984', 'erc20', 'Uniswap', 'UNI', 18, 1),
  /** No return values. */
  usdt: token('0xdAC17F958D2ee523a2206206994597C13D831ec7', 'erc20', 'Tether USD', 'USDT', 6, 2),
  /** A proxy, without implementation for its first four blocks; "Centre USD Coin" until LANDMARKS.usdcUpgrade. */
  usdc: token('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'erc20', 'USD Coin', 'USDC', 6, 7),
  weth: token('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 'erc20', 'Wrapped Ether', 'WETH', 18, 4),
  /** bytes32 name and symbol. */
  mkr: token(
    '0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2',
    'erc20',
    'Maker',
    'MKR',
    18,
    CHAIN.genesis - CHAIN.story,
  ),
  /** Rebases. */
  steth: token(
    '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84',
    'erc20',
    'Liquid staked Ether 2.0',
    'stETH',
    18,
    CHAIN.genesis - CHAIN.story,
  ),
  /** name() reverts. */
  nameless: token('0xa145ca42a2f0D92Ff61569080477B6D22dce7F13', 'erc20', '', 'NONAME', 18, 6),
  /** Markup, control and bidirectional characters, line ends. */
  script: token(
    '0xA68a01e6836aef5936c37a621bCB9353Fe4d70c6',
    'erc20',
    '<script>alert("hindsight")</script>\u0000\u001b[31m\u202Etxt.exe',
    '<b>&\u200b\r\nX-Injected: 1',
    18,
    6,
  ),
  late: token('0xeCBEc183dEe72105C456d7c4B5500172E2ac0A35', 'erc20', 'Latecomer', 'LATE', 18, 270),
  bayc: token('0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D', 'erc721', 'BoredApeYachtClub', 'BAYC', null, 5),
  /** No ERC-165, and a Transfer event without indexed parameters. */
  kitties: token('0x06012c8cf97BEaD5deAe237070F9587f8E7A266d', 'erc721', 'CryptoKitties', 'CK', null, 5),
  /** An ERC-4626 vault for UNI. */
  savings: token('0x1672E7548c3545B5C5dfC7AA0E3dA1E6891c735e', 'erc20', 'Savings UNI', 'sUNI', 18, 285),
  items: token('0x8698A28FF9b2Db989073739c8616DB10bE6595f1', 'erc1155', 'Dev Chain Items', 'ITEM', null, 6),
} as const satisfies Record<string, WorldToken>;

export type TokenName = keyof typeof TOKENS;

/** Contracts that are no tokens, or only pretend to be. */
export const CONTRACTS = {
  counter: '0x7282074d2E25ce9Fb831180de487B086df8227b6',
  /** name, symbol and balanceOf answer with 1 MiB. */
  huge: '0x006B4e74Fa715E96E887e834B90cE57766AA709C',
  /** Loops until the gas is gone. */
  gasBurner: '0x3dC490C0335ed941556d2F235A16f7e886BE14A0',
  /** balanceOf and everything else answer with four bytes. */
  short: '0x0193ab4b5672a057f7CB531C217B85A0945f20d2',
  ensRegistry: '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e',
  ensResolver: '0x8A0C61B39ACb0064CFeeA880517Fa2bb9ABdCEfC',
  /** Answers only with referrals (EIP-3668) to private addresses. */
  offchainResolver: '0x778481Cd7a2e45ADBD4fA09D2e04087558B746C3',
  /** Has code from the first block, but reverts until LANDMARKS.universalResolver: it came late on mainnet too. */
  universalResolver: '0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe',
  usdcV1: '0xA4EbF1ad675D76b70088Bb1Ff390a3654f0e4193',
  usdcV2: '0x288C76faeC1722FE078e7C1c76615236e3Cf938d',
  universalResolverV1: '0x9BE784a705A48ef49e2b41207Aa875902BBA8e71',
} as const;

/** The names on the chain; the ledger has their addresses at each height. */
export const ENS_NAMES = ['alice.eth', 'treasury.eth', 'bob.eth', 'pay.alice.eth', 'offchain.eth'] as const;

/** Blocks at which something happens once. */
export const LANDMARKS = {
  /** The first block of the random traffic: all holders have their first balances. */
  traffic: at(12),
  aliceName: at(20),
  treasuryName: at(24),
  bobName: at(60),
  offchainName: at(100),
  /** A transfer of more than the balance: the transaction is in the block and failed. */
  failedTransfer: at(104),
  payAliceName: at(120),
  /** alice's allowance of UNI to market: given, spent, spent again, used up, given again, revoked. */
  aliceApproves: at(30),
  aliceIsSpent: [at(50), at(90), at(140)],
  aliceApprovesAgain: at(180),
  aliceRevokes: at(240),
  usdcUpgrade: at(130),
  /** treasury.eth moves from treasury to vault, and so does the money. */
  treasuryMoves: at(150),
  universalResolver: at(200),
  bobNameRemoved: at(210),
  /** bob.eth comes back, pointing to carol. */
  bobNameReturns: at(260),
  late: at(270),
  /** A vault opens, and its shares become worth more. */
  savingsOpen: at(285),
  savingsEarn: at(292),
  /** stETH is rebased; at `slashing` downwards. */
  rebases: [at(40), at(80), at(122), at(160), at(200), at(242), at(280)],
  slashing: at(200),
} as const;

function at(offset: number): number {
  return CHAIN.story + offset;
}

function token<S extends WorldToken['standard']>(
  address: string,
  standard: S,
  name: string,
  symbol: string,
  decimals: number | null,
  offset: number,
): WorldToken & { standard: S } {
  return { address, standard, name, symbol, decimals, since: at(offset) };
}
