import { verify, type Verified } from '@hindsight/client/verify';
import type { Command } from 'commander';
import type { Readable } from 'node:stream';
import { dim, print, printJson, type Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { openInput } from '../input.ts';

/** A proof takes some 30 KB; up to 200 KB on chains that keep their validators in the header. */
const MAX_BYTES = 1024 * 1024;
const HASH = /^0x[0-9a-fA-F]{64}$/;
const INDEX = /^(?:[0-9]{1,78}|0x[0-9a-fA-F]{1,64})$/;

interface Options {
  readonly blockHash: string;
  readonly index?: string;
  readonly key?: string;
  readonly json?: true;
}

/** `hindsight verify answer.json --block-hash 0x1bb3…`: asks no server, and needs no key. */
export function verifyCommand(program: Command, context: Context): void {
  program
    .command('verify')
    .description('check an answer with its proof against the hash of a block, without a server')
    .argument('[file]', 'an answer to `proof=storage` as JSON (default or `-`: standard input)')
    .requiredOption('--block-hash <hash>', 'the block’s hash, from a source that you trust')
    .option('--index <n>', 'the index of the token’s mapping: no other is accepted; a zero needs it')
    .option('--key <key>', 'the key of the slot: no other is accepted')
    .option('--json', 'the result as JSON')
    .action(async (file: string | undefined, options: Options) => {
      const { blockHash, index, key } = options;
      if (!HASH.test(blockHash)) throw new UsageError('--block-hash: expected 0x and 64 hexadecimal digits');
      if (index !== undefined && !INDEX.test(index)) throw new UsageError('--index: expected a whole number');
      if (key !== undefined && !HASH.test(key))
        throw new UsageError('--key: expected 0x and 64 hexadecimal digits');
      const answer = await readAnswer(await openInput(context, file));
      const result = verify(answer, {
        blockHash,
        key,
        index: index === undefined ? undefined : BigInt(index),
      });
      if (options.json) printJson(context, result);
      if (!result.verified) throw new Error(`not verified (${result.reason}): ${result.message}`);
      if (!options.json) printVerified(context, result);
    });
}

/** Reads JSON that may come from anyone. @throws {Error} if it is too long, or is not JSON */
async function readAnswer(input: Readable): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const part = Buffer.from(chunk as Buffer);
    chunks.push(part);
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error(`the answer is too long: expected at most ${MAX_BYTES} bytes`);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch (cause) {
    throw new Error('the answer is not JSON', { cause });
  }
}

function printVerified(context: Context, { kind, amount, token, accounts, block, slot }: Verified): void {
  const what = { native: 'ether of', balance: `of ${token} held by`, allowance: `of ${token} allowed by` };
  const about = kind === 'supply' ? `of ${token} in all` : `${what[kind]} ${accounts.join(' to ')}`;
  const time = new Date(block.timestamp * 1_000).toISOString().replace('.000', '');
  print(
    context,
    `verified: ${amount} (smallest unit) ${about}  ${dim(context, `block ${block.number}, ${time}`)}`,
  );
  if (slot === null) return;
  const { layout, index } = slot;
  const named = index === null ? layout : `${layout} ${index}`;
  const place = layout === 'given' ? 'the key that you gave' : named;
  print(context, dim(context, `slot ${slot.key}: ${place}`));
}
