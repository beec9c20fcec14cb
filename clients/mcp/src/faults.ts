/** Errors for a model: the fault, and the next step. */

/** The fields of @hindsight/client's errors that are used here. */
export interface Fault {
  readonly name: string;
  readonly message: string;
  readonly status?: number;
  readonly code?: string | undefined;
  readonly retryAt?: Date | undefined;
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'Ask the user for a valid API key; calling again does not help.',
  403: 'This API key may not do that. Tell the user; calling again does not help.',
  404: 'Check the address with find_token, the moment with block_at, or the spelling of the name; do not guess an answer.',
};
/** Advice on errors of which the status tells too little. */
const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  name_moved:
    'Ask about one of these addresses at a time, each in its own range; balance_changes with resolve "each" has both.',
  no_block_at_date:
    'Ask again from a moment that the message allows, and say that nothing is known outside of it.',
  block_not_canonical:
    'Begin again with the first call, by a block number or a date; parts that were answered before are of another block.',
  not_indexed: 'Tell the user; calling again does not help. Do not guess an answer.',
};
/** Advice on a faulty argument. */
export const CORRECT = 'Correct the argument that the message names, and call again.';
/** A limit of more seconds is one of a day or a month. */
const LONGEST_WAIT = 60;

/** @param error of a request, or of a row, which has no name @throws what is not the API's */
export function adviceOn(error: unknown): string {
  const { name, message, status, code, retryAt } = error as Fault;
  const said = message + (/[.!?]$/.test(message) ? '' : '.');
  if (status === 429) {
    const seconds = retryAt && Math.max(Math.ceil((retryAt.getTime() - Date.now()) / 1000), 1);
    if (seconds !== undefined && seconds > LONGEST_WAIT)
      return `${said} Tell the user, and do not wait: until then only smaller questions may be answered. \`usage\` says what is left.`;
    const wait = seconds === undefined ? 'Wait' : `Wait ${seconds} s`;
    return `${said} ${wait} before the next call, or ask for less at once.`;
  }
  if (status !== undefined) return `${said} ${adviceOnStatus(status, code)}`;
  if (name === 'InvalidAnswer')
    return `The API’s answer cannot be used: ${said} Tell the user; do not guess an answer.`;
  if (name === 'ConnectionError' || name === 'TimeoutError')
    return `The API does not answer: ${said} Try again in a minute; do not guess an answer.`;
  throw error;
}

function adviceOnStatus(status: number, code = ''): string {
  if (status < 400) return 'The address of the API is wrong. Tell the user; calling again does not help.';
  const known = ADVICE_BY_CODE[code] ?? ADVICE[status];
  return known ?? (status >= 500 ? 'Try again in a minute; do not guess an answer.' : CORRECT);
}
