/** Everything that acts in the story, bound to one script. */
import { Collectible, Items } from '../tokens/collectibles.ts';
import { Erc20 } from '../tokens/erc20.ts';
import { StakedEther, WrappedEther } from '../tokens/ether-tokens.ts';
import { Savings } from '../tokens/savings.ts';
import { HOLDERS, TOKENS, type TokenName } from '../world.ts';
import { Names } from './names.ts';
import type { Script } from './script.ts';

export interface Cast {
  script: Script;
  names: Names;
  uni: Erc20;
  usdt: Erc20;
  usdc: Erc20;
  mkr: Erc20;
  nameless: Erc20;
  script20: Erc20;
  late: Erc20;
  weth: WrappedEther;
  steth: StakedEther;
  savings: Savings;
  bayc: Collectible;
  kitties: Collectible;
  items: Items;
}

/** Holders of the random traffic. Those with a simple story of their own are left out. */
export const PLAYERS: readonly string[] = Object.entries(HOLDERS)
  .filter(
    ([name]) =>
      !['treasury', 'vault', 'market', 'relay', 'oracle', 'builder', 'yvonne', 'zoe'].includes(name),
  )
  .map(([, address]) => address);

export function castOf(script: Script): Cast {
  const erc20 = (contract: string, name: TokenName) =>
    new Erc20(script, contract, TOKENS[name].address, TOKENS[name].since);
  const { weth, steth, savings, bayc, kitties, items } = TOKENS;
  const uni = erc20('UniToken', 'uni');
  return {
    script,
    names: new Names(script),
    uni,
    usdt: erc20('TetherToken', 'usdt'),
    usdc: erc20('UsdcV1', 'usdc'),
    mkr: erc20('MakerToken', 'mkr'),
    nameless: erc20('NamelessToken', 'nameless'),
    script20: erc20('StandardToken', 'script'),
    late: erc20('StandardToken', 'late'),
    weth: new WrappedEther(script, 'WrappedEther', weth.address, weth.since),
    steth: new StakedEther(script, steth.address, steth.since),
    savings: new Savings(script, uni, savings.address, savings.since),
    bayc: new Collectible(script, 'ApeToken', bayc.address, bayc.since),
    kitties: new Collectible(script, 'KittyToken', kitties.address, kitties.since),
    items: new Items(script, items.address, items.since),
  };
}
