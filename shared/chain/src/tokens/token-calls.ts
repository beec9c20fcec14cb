/** Calls of tokens that are answered by a number, and those that show what kind of token it is. */
import { CRYPTO_PUNKS } from '../networks.ts';
import { callOf, type CallItem } from '../state/multicall/multicall.ts';
import { PERMIT2 } from './permit2.ts';
import { READ_GAS } from './token-facts.ts';

/** `totalSupply()`. */
export function totalSupplyCall(token: string): CallItem {
  return wordCall(token, '18160ddd');
}

/**
 * Calls that state how many shares a holder has, of tokens that compute balances from shares: `sharesOf(holder)` of Lido's stETH
 * (https://docs.lido.fi/contracts/lido#sharesof), `scaledBalanceOf(holder)` of Aave's aTokens
 * (https://aave.com/docs/aave-v3/smart-contracts/tokenization).
 */
export function sharesCalls(token: string, holder: string): readonly CallItem[] {
  return ['f5eb42dc', '1da24f3e'].map((selector) => wordCall(token, selector, BigInt(holder)));
}

/** `ownerOf(id)` of an ERC-721, `punkIndexToAddress(id)` of CryptoPunks: the owner's address as a number. */
export function ownerOfCall(token: string, id: bigint): CallItem {
  return wordCall(token, token.toLowerCase() === CRYPTO_PUNKS ? '58178168' : '6352211e', id);
}

/** `balanceOf(holder, id)` of an ERC-1155. */
export function itemBalanceCall(token: string, holder: string, id: bigint): CallItem {
  return wordCall(token, '00fdd58e', BigInt(holder), id);
}

/** `isApprovedForAll(owner, operator)` of an ERC-721 or ERC-1155: 1 or 0. */
export function operatorCall(token: string, owner: string, operator: string): CallItem {
  return wordCall(token, 'e985e9c5', BigInt(owner), BigInt(operator));
}

/** `asset()` of an ERC-4626 vault: the asset's address as a number. */
export function vaultAssetCall(vault: string): CallItem {
  return wordCall(vault, '38d52e0f');
}

/** `convertToAssets(shares)` of an ERC-4626 vault. */
export function vaultAssetsCall(vault: string, shares: bigint): CallItem {
  return wordCall(vault, '07a2d13a', shares);
}

/** `allowance(owner, token, spender)` of Permit2: the amount, and its expiration. */
export function permit2AllowanceCall(token: string, owner: string, spender: string): CallItem {
  return { ...wordCall(PERMIT2, '927da105', BigInt(owner), BigInt(token), BigInt(spender)), maxBytes: 64 };
}

function wordCall(target: string, selector: string, ...args: readonly bigint[]): CallItem {
  const words = args.map((value) => value.toString(16).padStart(64, '0')).join('');
  return callOf(target, `0x${selector}${words}`, READ_GAS);
}
