import type { Client, HeldQuestion, HolderFileFacts, HoldersFile } from '@hindsight/client';
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
    // Nor may the part after it exist: tools would read that of another list with these.
    const taken = [target, numbered(path, part + 1)].find((each) => existsSync(each));
    if (taken !== undefined) throw new UsageError(`${taken} exists; remove it`);
    const file = await client.holders.file(asked);
    const { facts } = file;
    first ??= facts;
    await writeWhole(target, bytesOf(file, first));
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

/** The bytes of a file that is of the index of the first one. @throws {UsageError} */
async function* bytesOf(
  { facts, bytes }: HoldersFile,
  { index: { from_block } }: HolderFileFacts,
): AsyncGenerator<Uint8Array> {
  for await (const part of bytes) {
    // Within the loop, which leaves the answer then.
    refuseOtherIndex(from_block, facts);
    yield part;
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
