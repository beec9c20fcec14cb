/** Reads the question of `GET /wallet`. */
import type { FormErrors } from '../pages/parts/form.ts';
import type { WalletQuestion } from '../pages/wallet.ts';
import { readMomentQuery } from './moment-query.ts';

/** The field of a wallet. */
export const HOLDER = { holder: { pattern: /^.{1,260}$/, expected: 'an address or an ENS name' } };

/**
 * The question in the page's address, and what is wrong with it. Without a holder it is the first example; without a
 * moment, that of the first example.
 */
export function readWalletQuery(
  query: Readonly<Record<string, unknown>>,
  first: WalletQuestion,
): { readonly question: WalletQuestion; readonly errors?: FormErrors } {
  const { asked, errors } = readMomentQuery(query, HOLDER);
  if (errors?.form !== undefined) return { question: first, errors };
  if (errors !== undefined) return { question: asked, errors };
  if (asked.holder === '' && asked.date === '' && asked.block === '') return { question: first };
  if (asked.holder === '') return { question: asked, errors: { fields: { holder: 'holder: required.' } } };
  return {
    question: asked.block === '' && asked.date === '' ? { ...asked, block: first.block } : asked,
  };
}
