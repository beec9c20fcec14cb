/** The state before the first block, and the first blocks: contracts come up, holders get something to hold. */
import { ZeroAddress } from 'ethers/constants';
import { loadArtifact } from '../artifacts.ts';
import type { Genesis } from '../plan-format.ts';
import { CHAIN, CONTRACTS, HOLDERS, TOKENS } from '../world.ts';
import { type Cast, PLAYERS } from './cast.ts';

const ETHER = 10n ** 18n;

/** The deployers of the real contracts, with their nonces: the addresses follow from these two. */
const DEPLOYERS = {
  uni: ['0x41653c7d61609D856f29355E404F310Ec4142Cfb', 0],
  ensRegistry: ['0x4Fe4e666Be5752f1FdD210F4Ab5DE2Cc26e3E0e8', 0],
  usdt: ['0x36928500Bc1dCd7af6a2B4008875CC336b927D57', 6],
  usdc: ['0x95Ba4cF87D6723ad9C0Db21737D862bE80e93911', 20],
  weth: ['0x4F26FfBe5F04ED43630fdC30A87638d53D0b0876', 446],
  bayc: ['0xaBA7161A7fb69c88e16ED9f455CE62B791EE4D03', 4],
  kitties: ['0xba52c75764d6F594735dc735Be7F1830CDf58dDf', 3515],
} as const;

/** Contracts made by contracts on mainnet stand there from the start; they keep nothing from a constructor. */
export function genesis(): Genesis {
  const rich = [...PLAYERS, HOLDERS.treasury, HOLDERS.zoe].map((holder, i): [string, bigint] => [
    holder,
    (100n + 7n * BigInt(i)) * ETHER,
  ]);
  return {
    number: CHAIN.genesis,
    timestamp: CHAIN.genesisTime,
    balances: new Map(rich),
    nonces: new Map(Object.values(DEPLOYERS)),
    code: new Map([
      [TOKENS.mkr.address, loadArtifact('MakerToken').runtime],
      [TOKENS.steth.address, loadArtifact('StakedEther').runtime],
      [CONTRACTS.universalResolver, loadArtifact('Proxy').runtime],
    ]),
  };
}

/** Writes the blocks up to LANDMARKS.traffic. */
export function open(cast: Cast): void {
  for (const write of [
    deployUni,
    deployUsdt,
    deployUsdc,
    deployWeth,
    deployCollectibles,
    deployOwn,
    deployMore,
  ]) {
    cast.script.nextBlock();
    write(cast);
  }
  for (const write of [mintStable, mintOthers, mintCollectibles, lockEther]) {
    cast.script.nextBlock();
    write(cast);
  }
}

function deployUni({ script }: Cast): void {
  script.create(DEPLOYERS.uni[0], 'UniToken', [], TOKENS.uni.address);
  script.create(DEPLOYERS.ensRegistry[0], 'EnsRegistry', [], CONTRACTS.ensRegistry);
}

function deployUsdt({ script }: Cast): void {
  script.create(DEPLOYERS.usdt[0], 'TetherToken', [], TOKENS.usdt.address);
}

/** The proxy alone: it becomes a token with its implementation, in deployMore. */
function deployUsdc({ script }: Cast): void {
  script.create(DEPLOYERS.usdc[0], 'Proxy', [], TOKENS.usdc.address);
}

function deployWeth({ script }: Cast): void {
  script.create(DEPLOYERS.weth[0], 'WrappedEther', [], TOKENS.weth.address);
}

function deployCollectibles({ script }: Cast): void {
  script.create(DEPLOYERS.bayc[0], 'ApeToken', [], TOKENS.bayc.address);
  script.create(DEPLOYERS.kitties[0], 'KittyToken', [], TOKENS.kitties.address);
}

function deployOwn({ script }: Cast): void {
  const { name, symbol } = TOKENS.script;
  const { builder } = HOLDERS;
  script.create(builder, 'NamelessToken', [], TOKENS.nameless.address);
  script.create(builder, 'ItemToken', [], TOKENS.items.address);
  script.create(builder, 'Counter', [], CONTRACTS.counter);
  script.create(builder, 'StandardToken', [name, symbol], TOKENS.script.address);
  script.create(builder, 'HugeToken', [], CONTRACTS.huge);
  script.create(builder, 'GasBurner', [], CONTRACTS.gasBurner);
  script.create(builder, 'ShortToken', [], CONTRACTS.short);
}

function deployMore({ script, names }: Cast): void {
  const { builder } = HOLDERS;
  script.create(builder, 'EnsResolver', [], CONTRACTS.ensResolver);
  script.create(builder, 'OffchainResolver', [], CONTRACTS.offchainResolver);
  script.create(builder, 'UsdcV1', [], CONTRACTS.usdcV1);
  script.create(builder, 'UsdcV2', [], CONTRACTS.usdcV2);
  script.create(builder, 'UniversalResolver', [], CONTRACTS.universalResolverV1);
  script.call(HOLDERS.oracle, TOKENS.usdc.address, 'Proxy', 'upgradeTo', [CONTRACTS.usdcV1]);
  names.register('eth', builder, ZeroAddress);
}

function mintStable({ usdc, usdt }: Cast): void {
  usdc.mint(HOLDERS.treasury, 1_250_000_000_000n);
  usdt.mint(HOLDERS.treasury, 400_000_000_000n);
  everyOther(0, (holder, i) => usdc.mint(holder, 1_000_000n * (5_000n + 731n * i) + 250_000n));
  everyOther(1, (holder, i) => usdt.mint(holder, 1_000_000n * (2_000n + 977n * i) + 990_000n));
}

function mintOthers({ uni, mkr, nameless, script20 }: Cast): void {
  uni.mint(HOLDERS.treasury, 50_000n * ETHER);
  everyOther(0, (holder, i) => uni.mint(holder, (1_000n + 37n * i) * ETHER));
  everyOther(1, (holder, i) => mkr.mint(holder, (10n + 3n * i) * ETHER + 1n));
  everyOther(0, (holder, i) => nameless.mint(holder, (100n + i) * ETHER));
  everyOther(1, (holder, i) => script20.mint(holder, (7n + i) * ETHER));
}

function mintCollectibles({ bayc, kitties, items }: Cast): void {
  everyOther(0, (holder, i) => {
    bayc.mint(holder, 100n + i);
    if (i % 4n === 0n) bayc.mint(holder, 8_000n + i);
  });
  everyOther(1, (holder, i) => kitties.mint(holder, 1n + i));
  everyOther(0, (holder, i) => items.mint(holder, i % 3n, 10n + i));
}

function lockEther({ weth, steth }: Cast): void {
  everyOther(0, (holder, i) => weth.deposit(holder, (10n + i) * ETHER));
  everyOther(1, (holder, i) => steth.submit(holder, (20n + i) * ETHER + 12_345n));
}

/** Every second player, from the first or from the second one. */
function everyOther(from: 0 | 1, act: (holder: string, index: bigint) => void): void {
  PLAYERS.forEach((holder, i) => {
    if (i % 2 === from) act(holder, BigInt(i));
  });
}
