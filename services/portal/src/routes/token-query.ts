/** Reads the question of `GET /token`. */
import type { FormErrors } from '../pages/parts/form.ts';
import type { TokenQuestion } from '../pages/token.ts';
import { readMomentQuery } from './moment-query.ts';

const OF_TOKEN = {
  token: {
    pattern: /^.{1,100}$/,
    expected: 'an address, or the beginning of a name, a symbol or a word in them',
  },
  id: { pattern: /^\d{1,78}$/, expected: 'a whole number' },
};

/** The question in the page's address, and what is wrong with it. Without a moment it is about the latest block. */
export function readTokenQuery(query: Readonly<Record<string, unknown>>): {
  readonly question: TokenQuestion;
  readonly errors?: FormErrors;
} {
  const { asked, errors } = readMomentQuery(query, OF_TOKEN);
  return { question: asked, ...(errors && { errors }) };
}
