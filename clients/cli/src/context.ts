import { createClient, type Client, type ClientOptions } from '@hindsight/client';
import type { Readable, Writable } from 'node:stream';
import { UsageError } from './exit-codes.ts';
import { loginPath, readLogin } from './stored-login.ts';

/** Input and output of a command. */
export interface Context {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** The network of a command, from `--network`; else of `HINDSIGHT_NETWORK`. */
  network?: string | undefined;
  /** Address of the API, from `--url`; else of `HINDSIGHT_URL`. */
  url?: string | undefined;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';

/** URL and key of the API: the environment before the file that `login` wrote. A stored key goes to its own API alone. */
export function access({ env, url: given }: Context): {
  readonly url: string;
  readonly apiKey: string | undefined;
} {
  const stored = readLogin(loginPath(env));
  const url = given || env.HINDSIGHT_URL || stored.url || DEFAULT_URL;
  const isOwn = stored.url !== undefined && spelled(url) === spelled(stored.url);
  return { url, apiKey: env.HINDSIGHT_API_KEY || (isOwn ? stored.apiKey : undefined) };
}

/** A URL as its other spellings are written, too; no `URL.parse`, which Node 20 lacks. */
function spelled(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

/** The client of a command. @throws {UsageError} without a key */
export function openClient(context: Context): Client {
  const { url, apiKey } = access(context);
  if (apiKey === undefined)
    throw new UsageError(`no API key for ${url}: set HINDSIGHT_API_KEY, or run \`hindsight login\``);
  const network = context.network || context.env.HINDSIGHT_NETWORK;
  return clientOf({ url, apiKey, ...(network && { network }) });
}

/** @throws {UsageError} for a key or a URL that cannot be one */
export function clientOf(options: ClientOptions): Client {
  try {
    return createClient(options);
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** Characters by which a contract's text would move the cursor, begin a line or reorder the text; not those of `dim`. */
const MARKS = /(?!\p{Cc}\[22?m)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Prints a line of the answer for people. */
export function print({ stdout }: Context, line: string): void {
  stdout.write(`${plain(line)}\n`);
}

function plain(line: string): string {
  return line.replace(MARKS, '\ufffd');
}

/** Prints a line for programs, CSV or JSON, as it is. */
export function printData({ stdout }: Context, line: string): void {
  stdout.write(`${line}\n`);
}

/** Prints an answer for programs; amounts are decimal strings. */
export function printJson(context: Context, value: unknown): void {
  printData(context, toJson(value, 2));
}

/** JSON with `bigint` as decimal strings, without functions. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, each: unknown) => (typeof each === 'bigint' ? `${each}` : each),
    indent,
  );
}

/** Prints a note for people, of one or several lines, to stderr. */
export function note({ stderr }: Context, text: string): void {
  for (const line of text.split('\n')) stderr.write(`${plain(line)}\n`);
}

/** Emphasis, where a person reads it. */
export function dim({ stdout, env }: Context, text: string): string {
  return stdout.isTTY && !env.NO_COLOR ? `\u001b[2m${text}\u001b[22m` : text;
}
