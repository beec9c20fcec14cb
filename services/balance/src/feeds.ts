/** The operator's table of contracts that say what a token is worth: data, from a file. */
import { addressParam } from '@hindsight/chain/params.ts';
import type { Setting } from '@hindsight/kernel/config.ts';
import { NETWORK_NAME } from '@hindsight/kernel/service-settings.ts';
import { jsonListFile } from '@hindsight/kernel/settings-file.ts';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { encodeCall } from './domain/call/encode.ts';
import { parseFunction, type AbiFunction } from './domain/call/signature.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_FEEDS = 5_000;
/** The most feeds of a token: each costs a few calls. */
export const MAX_FEEDS_OF_TOKEN = 16;
const WEEK_SECONDS = 604_800;

const shared = {
  network: z.string().regex(NETWORK_NAME, 'expected a network’s name'),
  /** Tokens that it is about: addresses, or `native`. */
  tokens: z
    .array(z.union([z.literal('native'), addressParam]))
    .min(1)
    .max(20),
  name: z.string().min(1).max(100),
  contract: addressParam,
  /** The place where the operator found it. */
  source: z.string().min(1).max(300),
  /** The publication that the address was compared with; absent where it was compared with none. */
  checked: z.string().min(1).max(300).optional(),
};
const feed = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('chainlink'),
    ...shared,
    quote: z.string().max(100),
    heartbeat_seconds: z.int().min(1),
  }),
  z.strictObject({
    kind: z.literal('uniswap-v3-twap'),
    ...shared,
    window_seconds: z.int().min(1).max(WEEK_SECONDS),
  }),
  z
    .strictObject({
      kind: z.literal('rate'),
      ...shared,
      quote: z.string().max(100),
      decimals: z.int().min(0).max(77),
      function: z.string().transform(readRate),
      args: z.array(z.string()).max(8).default([]),
    })
    .superRefine(checkArgs),
]);
const file = z.array(feed).max(MAX_FEEDS).superRefine(checkCounts);

/** A function that returns one number. */
function readRate(text: string, context: z.RefinementCtx): AbiFunction {
  try {
    const called = parseFunction(text);
    const kinds = called.outputs.map(({ type }) => type.kind);
    if (kinds.length === 1 && (kinds[0] === 'uint' || kinds[0] === 'int')) return called;
    context.addIssue({ code: 'custom', message: 'expected a function that returns one number' });
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
  return z.NEVER;
}

/** Refuses arguments that the function does not take: callers would get an error for them. */
function checkArgs(
  { function: called, args }: { readonly function: AbiFunction; readonly args: readonly string[] },
  context: z.RefinementCtx,
): void {
  try {
    encodeCall(called, args, 'args');
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
}

/** Refuses too many feeds of one token. */
function checkCounts(
  feeds: readonly { readonly network: string; readonly tokens: readonly string[] }[],
  context: z.RefinementCtx,
): void {
  const counts = new Map<string, number>();
  for (const { network, tokens } of feeds)
    for (const token of tokens) {
      const key = `${token} of ${network}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  for (const [key, count] of counts)
    if (count > MAX_FEEDS_OF_TOKEN)
      context.addIssue({
        code: 'custom',
        message: `more than ${MAX_FEEDS_OF_TOKEN} entries for ${key}`,
      });
}

/** A contract that says what a token is worth, and how it is asked. */
export type Feed = z.output<typeof feed>;

/** The table that is used where the operator names none: the main ones of Ethereum. */
const DEFAULT_FILE = fileURLToPath(new URL('../feeds.json', import.meta.url));

/** The setting: the path of the file, which is read at once; its rows are the value. A fault names its row and field. */
export const FEEDS_FILE: Setting<readonly Feed[]> = {
  about:
    'path of a JSON file with contracts that say what tokens are worth; the main ones of Ethereum if not set',
  schema: jsonListFile(file, MAX_BYTES).prefault(DEFAULT_FILE),
};
