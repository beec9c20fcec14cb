/** Events that happen once, at the heights in LANDMARKS. */
import { CONTRACTS, HOLDERS, LANDMARKS, TOKENS } from '../world.ts';
import { type Cast, PLAYERS } from './cast.ts';

const ETHER = 10n ** 18n;
const { alice, bob, carol, erin, treasury, vault, market, oracle, builder, kevin } = HOLDERS;

/** Block → its events, in the order they are written. */
export type Landmarks = ReadonlyMap<number, readonly ((cast: Cast) => void)[]>;

export function landmarks(): Landmarks {
  const events = new Map<number, ((cast: Cast) => void)[]>();
  const on = (block: number, event: (cast: Cast) => void) => {
    events.set(block, [...(events.get(block) ?? []), event]);
  };
  nameEvents(on);
  allowanceEvents(on);
  stakingEvents(on);
  on(LANDMARKS.failedTransfer, ({ uni }) => uni.overdraw(kevin, alice));
  on(LANDMARKS.usdcUpgrade, ({ script }) => {
    script.call(oracle, TOKENS.usdc.address, 'Proxy', 'upgradeTo', [CONTRACTS.usdcV2]);
  });
  on(LANDMARKS.universalResolver, ({ script }) => {
    script.call(oracle, CONTRACTS.universalResolver, 'Proxy', 'upgradeTo', [CONTRACTS.universalResolverV1]);
  });
  on(LANDMARKS.late, ({ script, late }) => {
    const { name, symbol, address } = TOKENS.late;
    script.create(builder, 'StandardToken', [name, symbol], address);
    for (const holder of PLAYERS.slice(0, 5)) late.mint(holder, 1_000n * ETHER);
  });
  on(LANDMARKS.savingsOpen, ({ script, savings }) => {
    script.create(builder, 'SavingsToken', [], TOKENS.savings.address);
    savings.deposit(alice, 1_000n * ETHER);
  });
  on(LANDMARKS.savingsEarn, ({ savings, uni }) => {
    uni.mint(bob, 60n * ETHER);
    uni.transfer(bob, savings.address, 50n * ETHER);
    savings.deposit(bob, 10n * ETHER);
  });
  return events;
}

type On = (block: number, event: (cast: Cast) => void) => void;

function nameEvents(on: On): void {
  const { ensResolver, offchainResolver } = CONTRACTS;
  on(LANDMARKS.aliceName, ({ names }) => {
    names.register('alice.eth', alice, ensResolver);
    names.point(alice, 'alice.eth', alice);
  });
  on(LANDMARKS.treasuryName, ({ names }) => {
    names.register('treasury.eth', treasury, ensResolver);
    names.point(treasury, 'treasury.eth', treasury);
  });
  on(LANDMARKS.bobName, ({ names }) => {
    names.register('bob.eth', bob, ensResolver);
    names.point(bob, 'bob.eth', bob);
  });
  on(LANDMARKS.offchainName, ({ names }) => names.register('offchain.eth', builder, offchainResolver));
  on(LANDMARKS.payAliceName, ({ names }) => {
    names.register('pay.alice.eth', alice, ensResolver);
    names.point(alice, 'pay.alice.eth', erin);
  });
  on(LANDMARKS.treasuryMoves, ({ names, script, usdc, usdt, uni }) => {
    names.point(treasury, 'treasury.eth', vault);
    for (const token of [usdc, usdt, uni]) token.transfer(treasury, vault, token.balanceOf(treasury));
    script.pay(treasury, vault, script.weiOf(treasury));
  });
  on(LANDMARKS.bobNameRemoved, ({ names }) => names.point(bob, 'bob.eth', null));
  on(LANDMARKS.bobNameReturns, ({ names }) => names.point(bob, 'bob.eth', carol));
}

/** alice owns the UNI and the market may spend it: the random traffic leaves that allowance alone. */
function allowanceEvents(on: On): void {
  on(LANDMARKS.aliceApproves, ({ uni }) => {
    uni.mint(alice, 5_000n * ETHER);
    uni.approve(alice, market, 1_000n * ETHER);
  });
  const spent = [250n * ETHER, 300n * ETHER, 450n * ETHER];
  spent.forEach((value, i) => {
    // The last one uses the allowance up.
    on(LANDMARKS.aliceIsSpent[i] ?? 0, ({ uni }) => {
      if (uni.balanceOf(alice) < value) uni.mint(alice, 5_000n * ETHER);
      uni.spend(market, alice, bob, value);
    });
  });
  on(LANDMARKS.aliceApprovesAgain, ({ uni, usdc }) => {
    uni.approve(alice, market, 77n * ETHER);
    usdc.approve(alice, market, 2n ** 256n - 1n);
  });
  on(LANDMARKS.aliceRevokes, ({ uni }) => uni.approve(alice, market, 0n));
}

function stakingEvents(on: On): void {
  for (const block of LANDMARKS.rebases) {
    on(block, ({ steth }) => {
      const change = block === LANDMARKS.slashing ? -(steth.pooled / 50n) : steth.pooled / 7_919n;
      steth.report(oracle, steth.pooled + change);
    });
  }
}
