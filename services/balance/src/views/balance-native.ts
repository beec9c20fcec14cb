import { OPERATIONS } from '@hindsight/api/operations.ts';
import { pinnedFields, type ReadBlock } from '../domain/pinned.ts';
import { amount, holder, pinned } from './fields.ts';
import { account } from './parameters.ts';
import { proof, PROOF_CODES, PROOF_ERRORS, proofParam } from './proof-fields.ts';
import { QUESTION_ERRORS } from './refusals.ts';
import { defineView, type Fields } from './view.ts';

const record = { holder, ...pinned, balance: amount('Wei'), ...proof };

export function nativeFields(holder: string, wei: bigint, block: ReadBlock): Fields<typeof record> {
  return { holder, ...pinnedFields(block), balance: wei.toString() };
}

/** GET /v1/{network}/balance/native: an account's balance of the native coin at a block. */
export const balanceNative = defineView({
  operation: {
    ...OPERATIONS.getNativeBalance,
    tag: 'Balances',
    summary: 'Get native balance',
    description:
      'Returns how much of the chain’s native coin a wallet held at any block or date, in wei. An account that never ' +
      'existed has "0".',
    success: { name: 'NativeBalance', description: 'The balance at the block' },
    codes: PROOF_CODES,
    errors: { ...QUESTION_ERRORS, ...PROOF_ERRORS },
  },
  parameters: { holder: account('The wallet: an address or an ENS name'), proof: proofParam },
  record,
  async read(state, { holder, proof }) {
    const wei = await state.wei(holder);
    const proven = proof && { proof: await state.proveWei(holder, wei) };
    return { ...nativeFields(holder, wei, state.pinned), ...proven };
  },
});
