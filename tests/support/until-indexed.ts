import { TOKENS } from '@hindsight/devchain/world.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';

interface Readiness {
  readonly parts: readonly { readonly name: string; readonly detail: string }[];
}

/** The list of tokens, of one network or of several. */
const LISTS = /^token index( of \S+)?$/;
const WHOLE = /^following: block (\d+) of \1\b/;
const HOLDERS_QUESTION = `/v1/eth-mainnet/token/holders?token_address=${TOKENS.usdc.address}&order=balance&limit=1`;

/** Waits until an installation's lists of tokens have all finalized blocks. */
export async function untilIndexed(url: string): Promise<void> {
  await until('all finalized blocks are indexed', async () => {
    const { parts } = (await (await fetch(`${url}/readyz`)).json()) as Readiness;
    const lists = parts.filter(({ name }) => LISTS.test(name));
    return lists.length > 0 && lists.every(({ detail }) => WHOLE.test(detail));
  });
}

/** Waits until an installation answers about holders: its index of them begins with the first question. */
export async function untilHoldersIndexed(url: string, key: string): Promise<void> {
  await until('the holders are indexed', async () => {
    const answer = await fetch(url + HOLDERS_QUESTION, { headers: { 'x-api-key': key } });
    await answer.arrayBuffer();
    return answer.ok;
  });
}
