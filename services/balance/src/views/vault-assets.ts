import { OPERATIONS } from '@hindsight/api/operations.ts';
import { wordToAddress } from '@hindsight/chain/address.ts';
import { addressParam } from '@hindsight/chain/params.ts';
import { vaultAssetCall, vaultAssetsCall } from '@hindsight/chain/tokens/token-calls.ts';
import { balanceOfCall } from '@hindsight/chain/tokens/token-facts.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { pinnedFields } from '../domain/pinned.ts';
import { noBalance, requireStandard, tokenFields } from '../domain/token.ts';
import { address, amount, holder, pinned, token } from './fields.ts';
import { account } from './parameters.ts';
import { QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import { defineView } from './view.ts';

/** GET /v1/{network}/vault/assets: what a holder's shares of a vault were worth at a block. */
export const vaultAssets = defineView({
  operation: {
    ...OPERATIONS.getVaultAssets,
    tag: 'Balances',
    summary: 'Get vault share value',
    description:
      'Returns how many shares of an ERC-4626 vault a wallet held at any block or date, and what they were worth in the ' +
      'vault’s asset then: `balanceOf` and `convertToAssets` at the same block, with the asset’s name, symbol and decimals.',
    success: { name: 'VaultAssets', description: 'The shares and their worth at the block' },
    codes: [...TOKEN_CODES, 'no_balance', 'not_a_vault'],
    errors: {
      ...QUESTION_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also if the contract is an ERC-721 or ERC-1155`,
      404: 'No such network, no vault at the block, a name without an address at the block, or a block above the head',
    },
  },
  parameters: {
    token_address: addressParam.meta({ description: 'The vault: an ERC-4626 contract' }),
    holder: account('The wallet: an address or an ENS name'),
  },
  record: {
    holder,
    ...token,
    token_type: z.literal('erc20').meta({ description: 'The standard of the shares' }),
    ...pinned,
    shares: amount('The shares that the holder had, in their smallest unit'),
    assets: amount('What the shares were worth, in the asset’s smallest unit'),
    asset_address: address('The token that the vault holds'),
    asset_name: z.string().meta({ description: 'The asset’s answer at that block; empty if it has none' }),
    asset_symbol: z.string().meta({ description: 'The asset’s answer at that block; empty if it has none' }),
    asset_decimals: z.int().nullable().meta({ description: 'null if the asset has none' }),
  },
  async read(state, { token_address: vault, holder }) {
    const reading = await state.token(balanceOfCall(vault, holder));
    const { number } = state.pinned;
    const type = requireStandard(reading, number, ['erc20'], 'vaults are ERC-20 contracts (ERC-4626)');
    const { value: shares } = reading;
    if (shares === undefined) throw noBalance(vault, holder, number);
    const [word, assets] = await Promise.all([
      state.number(vaultAssetCall(vault)),
      state.number(vaultAssetsCall(vault, shares)),
    ]);
    const address = wordToAddress(word);
    if (address === null) {
      throw notFound(
        'not_a_vault',
        `The token ${vault} is not an ERC-4626 vault at block ${number}: it names no asset`,
      );
    }
    if (assets === undefined) {
      throw notFound(
        'not_a_vault',
        `The vault ${vault} does not say what ${shares} shares were worth at block ${number}`,
      );
    }
    const asset = await state.facts(address);
    return {
      holder,
      ...tokenFields(type, reading),
      ...pinnedFields(state.pinned),
      shares: shares.toString(),
      assets: assets.toString(),
      asset_address: asset.token,
      asset_name: asset.name,
      asset_symbol: asset.symbol,
      asset_decimals: asset.decimals,
    };
  },
});
