/** A token as people name it: an address, `native`, or a symbol. */
import type { Client, ListedToken } from '@hindsight/client';
import { UsageError } from './exit-codes.ts';

const MAX_SHOWN = 5;
const MAX_LOOKED_AT = 1_000;

/** The addresses of tokens, with commas between them. @throws {UsageError} as of one */
export function resolveTokens(client: Client, text: string, signal: AbortSignal): Promise<string[]> {
  return Promise.all(text.split(',').map((each) => resolveToken(client, each.trim(), signal)));
}

/**
 * The address of a token. A symbol is taken only where one token alone has it: anyone may name a contract USDC.
 * @throws {UsageError} for a symbol that no token has, or several
 */
export async function resolveToken(client: Client, text: string, signal: AbortSignal): Promise<string> {
  if (text === 'native' || /^0x/i.test(text) || text.includes('.')) return text;
  const { symbol } = await client.nativeCoin(signal);
  if (text.toUpperCase() === symbol.toUpperCase()) return 'native';
  const found: ListedToken[] = [];
  let seen = 0;
  for await (const token of client.tokens({ search: text, signal })) {
    if (++seen > MAX_LOOKED_AT) break;
    // In lower case a sigma has two forms.
    if (token.symbol.toUpperCase() === text.toUpperCase()) found.push(token);
  }
  const [first, ...others] = found;
  // Others with that symbol may come behind what was read.
  if (seen > MAX_LOOKED_AT && others.length === 0)
    throw new UsageError(
      `more than ${MAX_LOOKED_AT} tokens match ${text}, too many to tell which one you mean; give its address`,
    );
  if (first === undefined)
    throw new UsageError(
      `no token in the server's list has the symbol ${text}; give its address, which hindsight token ${text} may find`,
    );
  if (others.length === 0) return first.token_address;
  throw new UsageError(
    [
      `${found.length} tokens have the symbol ${text}; give the address of the one you mean:`,
      ...found
        .slice(0, MAX_SHOWN)
        .map(
          ({ token_address, name, block_height }) =>
            `  ${token_address}  ${name || '(no name)'}, since block ${block_height}`,
        ),
      ...(found.length > MAX_SHOWN ? ['  …'] : []),
    ].join('\n'),
  );
}
