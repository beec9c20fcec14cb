import type { Client, HeldQuestion, HolderFileFacts } from '@hindsight/client';
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { note, type Context } from './context.ts';
import { UsageError } from './exit-codes.ts';
import { refuseOtherIndex, reportHolders } from './holders-report.ts';

/** Writes the holders of a token to a Parquet file; those of a long list to several, which tools read as one. */
export async function toParquet(
  context: Context,
  client: Client,
  question: HeldQuestion,
  path: string,
): Promise<void> {
  const { token, tokenId, signal } = question;
  const totals = { holders: 0, errors: 0, sum: 0n };
  let asked: HeldQuestion & { readonly after?: string } = question;
  let first: HolderFileFacts | undefined;
  for (let part = 1; ; part++) {
    const target = part === 1 ? path : numbered(path, part);
    if (existsSync(target)) throw new UsageError(`${target} exists; remove it`);
    const { facts, bytes } = await client.holders.file(asked);
    refuseOtherIndex((first ??= facts).index.from_block, facts);
    await writeWhole(target, bytes);
    totals.holders += facts.holders;
    totals.errors += facts.errors;
    totals.sum += BigInt(facts.sum);
    note(context, `${target} is complete`);
    if (facts.next === null) {
      const { total_supply: supply } = facts;
      return reportHolders(context, facts, {
        ...totals,
        totalSupply: supply === null ? null : BigInt(supply),
      });
    }
    asked = { token, tokenId, signal, blockHash: facts.block_hash, after: facts.next };
  }
}

/** `holders.parquet` → `holders-2.parquet` */
function numbered(path: string, part: number): string {
  return path.replace(/(\.[^./\\]*)?$/, (ending) => `-${part}${ending}`);
}

/** An interrupted file has another name; one that is complete survives a power cut. */
async function writeWhole(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const partial = `${path}.part`;
  try {
    await writeFile(partial, bytes, { flush: true });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
