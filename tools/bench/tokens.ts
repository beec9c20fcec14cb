/** `npm run bench tokens`: pages of a list of a million tokens, and indexing against raw eth_getLogs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fill } from './tokens/fill.ts';
import { indexChain } from './tokens/index-chain.ts';
import { serve } from './tokens/serve.ts';
import { serveBeside } from './tokens/serve-beside.ts';

const TOKENS = 1_000_000;

export async function run(): Promise<void> {
  const folders: string[] = [];
  const fresh = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-tokens-'));
    folders.push(folder);
    return folder;
  };
  try {
    await indexChain(fresh);
    await serveBeside(fresh);
    const folder = fresh();
    console.log(`filling a list with ${TOKENS.toLocaleString('en')} tokens, which takes minutes`);
    const rate = await fill(folder, TOKENS, (line) => console.log(`  ${line}`));
    console.log(`filled, ${Math.round(rate)} tokens/s`);
    await serve(folder);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}
