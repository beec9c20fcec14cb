/** Truths on every node about tokens and vaults that take fees, rebase and destroy themselves. */
import type { Network } from '@hindsight/chain/networks.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { expect } from '@jest/globals';
import { readChain, type Chain } from './inquiries.ts';
import { HELD, mortalViews } from './mortal.ts';
import type { SeededNode } from './nodes.ts';
import { startService } from './service.ts';
import { tryViews } from './views.ts';

/** Asks everything at every block. */
export async function expectTrueMortals(node: SeededNode, network: Network): Promise<void> {
  const chain = await readChain(node.url, node.heightOf(CHAIN.story));
  const views = mortalViews(chain);
  const service = await startService(node.url, network);
  try {
    const trial = await tryViews(node, network, service.url, views);
    expect(trial).toEqual({ right: views.length, refused: 0, faults: [] });
    expect(views.length).toBeGreaterThan(250);
    for (const token of HELD) {
      const asked = { token_address: token, holder: HOLDERS.alice, from: String(chain.first) };
      await expectTruePages(`${service.url}/v1/${network.name}/balance/changes`, asked, chain);
    }
  } finally {
    await service.stop();
  }
}

interface Page {
  readonly token_type: string;
  readonly changes: readonly { readonly block: number }[];
  readonly next: string | null;
}

/** All pages of changes are the whole, to the end, which may come long after the token's. */
async function expectTruePages(url: string, asked: Record<string, string>, chain: Chain): Promise<void> {
  const ask = async (rest: Record<string, string>): Promise<Page> => {
    const answer = await fetch(`${url}?${new URLSearchParams({ ...asked, ...rest }).toString()}`);
    const page = (await answer.json()) as Page;
    expect([answer.status, page]).toEqual([200, page]);
    return page;
  };
  const whole = await ask({ limit: '1000' });
  const pages = [await ask({ limit: '1' })];
  for (let { next } = pages[0]!; next !== null; { next } = pages.at(-1)!)
    pages.push(await ask({ limit: '1', cursor: next }));
  expect(pages.flatMap(({ changes }) => changes)).toEqual(whole.changes);
  // If the logs take more time than a request has, a page may end and the next begin in any block.
  const cursor = Buffer.from(pages[0]!.next!, 'base64url').toString();
  const late = Buffer.from(cursor.replace(/^\d+/, String(chain.head - 1))).toString('base64url');
  const last = await ask({ limit: '1', cursor: late });
  expect([last.changes, last.next]).toEqual([
    whole.changes.filter(({ block }) => block === chain.head),
    null,
  ]);
  for (const { token_type } of [...pages, last]) expect(token_type).toBe(whole.token_type);
}
