import { verify, type Verified, type VerifiedShares } from '@hindsight/client/verify';
import { verifySnapshot, type TrustedSnapshot } from '@hindsight/client/verify-snapshot';
import { Option, type Command } from 'commander';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { dim, print, printJson, type Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { isStdin, openInput } from '../input.ts';
import { notePath } from '../snapshot-file.ts';

/**
 * The longest answer, and the longest line of a snapshot. A proof takes some 30 KB; up to 200 KB on chains that keep their
 * validators in the header.
 */
const MAX_BYTES = 1024 * 1024;
const HASH = /^0x[0-9a-fA-F]{64}$/;
const INDEX = /^(?:[0-9]{1,78}|0x[0-9a-fA-F]{1,64})$/;
const LAYOUTS = ['solidity', 'vyper', 'solady'] as const;

interface Options {
  readonly blockHash: string;
  readonly index?: string;
  readonly layout?: (typeof LAYOUTS)[number];
  readonly key?: string;
  readonly shares?: true;
  readonly json?: true;
}

/** `hindsight verify answer.json --block-hash 0x929f…`: asks no server, and needs no key. */
export function verifyCommand(program: Command, context: Context): void {
  program
    .command('verify')
    .description('check an answer or a snapshot with proofs against the hash of a block, without a server')
    .argument(
      '[file]',
      'an answer to `proof=storage` as JSON, or a snapshot as NDJSON (default or `-`: standard input)',
    )
    .requiredOption('--block-hash <hash>', 'the block’s hash, from a source that you trust')
    .option('--index <n>', 'the index of the token’s mapping: no other is accepted')
    .addOption(
      new Option(
        '--layout <layout>',
        'the layout of the token’s mapping: no other is accepted; a zero needs it and the index',
      ).choices(LAYOUTS),
    )
    .option('--key <key>', 'the key of the slot of an answer: no other is accepted')
    .option('--shares', 'accept only a proof of shares (`proof=shares`): the balance is then not proven')
    .option('--json', 'the result as JSON')
    .action(async (file: string | undefined, options: Options) => {
      const { blockHash, index, layout, key, shares } = options;
      if (!HASH.test(blockHash)) throw new UsageError('--block-hash: expected 0x and 64 hexadecimal digits');
      if (index !== undefined && !INDEX.test(index)) throw new UsageError('--index: expected a whole number');
      if (key !== undefined && !HASH.test(key))
        throw new UsageError('--key: expected 0x and 64 hexadecimal digits');
      const trusted = { blockHash, index: index === undefined ? undefined : BigInt(index), layout };
      const lines = linesOf(await openInput(context, file));
      try {
        const { value: first = '' } = await lines.next();
        if (isSnapshot(first)) {
          if (key !== undefined) throw new UsageError('--key: a snapshot has a key in each row; use --index');
          if (shares) throw new UsageError('--shares: the rows of a snapshot have no proofs of shares');
          return await checkSnapshot(context, recordsOf(first, lines), {
            ...trusted,
            json: options.json === true,
            wasInterrupted: !isStdin(file) && existsSync(notePath(file)),
          });
        }
        const answer = await readAnswer(first, lines);
        const known = { ...trusted, key };
        const result = shares ? verify(answer, { ...known, shares }) : verify(answer, known);
        if (options.json) printJson(context, result);
        if (!result.verified) throw new Error(`not verified (${result.reason}): ${result.message}`);
        if (!options.json) printVerified(context, result);
      } finally {
        // Closes the file, also where not all of it was read.
        await lines.return(undefined);
      }
    });
}

/** The lines of a text that may come from anyone. @throws {Error} if one is too long */
async function* linesOf(input: Readable): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(Buffer.from(chunk as Buffer), { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    checkLength(rest);
  }
  if (rest !== '') yield rest;
}

/** @throws {Error} if what has been read so far is too long */
function checkLength({ length }: string): void {
  if (length > MAX_BYTES) throw new Error(`the answer is too long: expected at most ${MAX_BYTES} bytes`);
}

/** Reads an answer, which may have several lines. @throws {Error} if it is too long, or is not JSON */
async function readAnswer(first: string, lines: AsyncIterable<string>): Promise<unknown> {
  let text = first;
  for await (const line of lines) {
    text += `\n${line}`;
    checkLength(text);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Error('the answer is not JSON', { cause });
  }
}

function isSnapshot(line: string): boolean {
  const record = parse(line);
  return typeof record === 'object' && record !== null && 'record' in record;
}

async function* recordsOf(first: string, lines: AsyncIterable<string>): AsyncGenerator<unknown, void> {
  yield parse(first);
  for await (const line of lines) yield parse(line);
}

/** A line as JSON; undefined if it is not, as the last line of a file that was cut off. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

interface SnapshotCheck extends Omit<TrustedSnapshot, 'onRow'> {
  readonly json: boolean;
  readonly wasInterrupted: boolean;
}

const INTERRUPTED = {
  reason: 'incomplete',
  message: 'the snapshot was interrupted: continue it with --resume',
} as const;

async function checkSnapshot(
  context: Context,
  records: AsyncIterable<unknown>,
  { json, wasInterrupted, ...trusted }: SnapshotCheck,
): Promise<void> {
  let first: Verified | undefined;
  const found = await verifySnapshot(records, {
    ...trusted,
    onRow: ({ result }) => {
      if (result.verified && (first?.slot?.index ?? null) === null) first = result;
    },
  });
  // Its last answer may be whole, and the ones after it missing.
  const verdict =
    found.verified && wasInterrupted ? { ...found, verified: false, refusal: INTERRUPTED } : found;
  if (json) printJson(context, verdict);
  const { refusal, rows, verifiedRows, sum } = verdict;
  const counted = `${verifiedRows} of ${rows} rows are verified`;
  if (refusal !== null) throw new Error(`not verified (${refusal.reason}): ${refusal.message}; ${counted}`);
  if (json) return;
  const block = first === undefined ? '' : `block ${first.block.number}`;
  print(context, `verified: ${counted}, ${sum} (smallest unit) in all  ${dim(context, block)}`);
  if (first?.slot) print(context, dim(context, `slots of ${first.slot.layout} ${first.slot.index ?? ''}`));
}

function printVerified(context: Context, result: Verified | VerifiedShares): void {
  const { kind, token, accounts, block, slot } = result;
  const what = { native: 'ether of', balance: `of ${token} held by`, allowance: `of ${token} allowed by` };
  const about = kind === 'supply' ? `of ${token} in all` : `${what[kind]} ${accounts.join(' to ')}`;
  const time = new Date(block.timestamp * 1_000).toISOString().replace('.000', '');
  const amount = 'shares' in result ? `${result.shares} shares` : `${result.amount} (smallest unit)`;
  print(context, `verified: ${amount} ${about}  ${dim(context, `block ${block.number}, ${time}`)}`);
  if ('shares' in result)
    print(context, dim(context, 'the balance, which the token computes from shares, is not proven'));
  if (slot === null) return;
  const { layout, index } = slot;
  const named = index === null ? layout : `${layout} ${index}`;
  const place = layout === 'given' ? 'the key that you gave' : named;
  print(context, dim(context, `slot ${slot.key}: ${place}`));
}
