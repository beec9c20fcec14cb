/** Pages and searches of the token list, over its length. */
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { openTokenIndex } from '@hindsight/tokens/service.ts';
import { join } from 'node:path';
import type { Results, Row } from '../results.ts';
import { fill } from '../tokens/fill.ts';
import { measure } from './measure.ts';

const TOKENS = [10_000, 100_000, 1_000_000];
const OPERATIONS = 2_000;
const LIMIT = 10;

/** The last page, the last page of a search, and one contract. */
export async function tokensGrow(folder: string, results: Results): Promise<void> {
  const pages: Row[] = [];
  const searches: Row[] = [];
  const finds: Row[] = [];
  for (const size of TOKENS) {
    const dataDir = join(folder, String(size));
    await fill(dataDir, size, () => undefined);
    const lifecycle = createLifecycle(createLogger({ name: 'bench', level: 'silent' }));
    const index = await openTokenIndex(ETH_MAINNET, { dataDir }, lifecycle);
    const all = { type: undefined, prefix: undefined };
    const search = { type: undefined, prefix: 'u' };
    const { tokens } = await index.page(all, size / 2, 1);
    const { total } = await index.page(search, 0, 1);
    pages.push(await measure(size, OPERATIONS, () => index.page(all, size - LIMIT, LIMIT)));
    searches.push(await measure(size, OPERATIONS, () => index.page(search, total - LIMIT, LIMIT)));
    finds.push(await measure(size, OPERATIONS, () => index.find(tokens[0]?.address ?? '')));
    await lifecycle.shutdown('measured');
  }
  results.add('the last page of the token list, by tokens', pages);
  results.add('the last page of a search, by tokens', searches);
  results.add('one token by its address, by tokens', finds);
}
