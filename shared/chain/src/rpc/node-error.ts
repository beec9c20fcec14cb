import { kindOfRpcError } from './error-texts.ts';
import type { NodeErrorKind } from './node-error-kind.ts';

interface NodeErrorDetails {
  readonly cause?: unknown;
  /** The node's wish, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The JSON-RPC error code. */
  readonly code?: number;
  /** Data of a revert: 0x and hex; if the node sent none, the text of its error. */
  readonly data?: string;
  /** Characters of the error's message. */
  readonly textLength?: number;
  /** The answer had more bytes than may be taken: the question asked for too much. */
  readonly tooLarge?: true;
}

/** A fault met at a node. The message is for operators: it may quote the node, never its URL. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly kind: NodeErrorKind;
  readonly details: NodeErrorDetails;

  constructor(kind: NodeErrorKind, message: string, details: NodeErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.details = details;
  }

  /** True if the same question may be answered a little later. */
  get isTransient(): boolean {
    return TRANSIENT.has(this.kind);
  }
}

/** Reads an answer. @throws {NodeError} that of `read`; `malformed`, with these words, where it throws anything else */
export function orMalformed<T>(fault: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof NodeError ? cause : new NodeError('malformed', fault, { cause });
  }
}

/** Faults that time may mend without a change of the question. */
const TRANSIENT: ReadonlySet<NodeErrorKind> = new Set<NodeErrorKind>(['unreachable', 'timeout', 'busy']);
const RETRY_AFTER_MS = 1_000;

/** The error of a question for which there is no room. @param what as in `for node 1` */
export function tooManyWait(what: string): NodeError {
  return new NodeError('busy', `too many questions wait ${what}`, { retryAfterMs: RETRY_AFTER_MS });
}

/** Longest quotation of a node's text, and longest part that is searched for its kind. */
const MAX_QUOTED = 300;
const MAX_READ = 2_000;
const URL_LIKE = /\b(?:https?|wss?):\/\/[^\s"'<>]+/gi;

/**
 * Sorts the error object of a JSON-RPC answer into a kind.
 * @param label names the node without its URL
 * @param error as the node sent it: usually `{code, message, data}`, from some gateways only a string
 * @param secrets parts of the node's URL that must not be quoted, should the node repeat them
 */
export function fromRpcError(label: string, error: unknown, secrets: readonly string[] = []): NodeError {
  const { code, message, data } = fieldsOf(error);
  const details = { code, textLength: message.length, ...(data === undefined ? {} : { data }) };
  const kind = kindOfRpcError(code, `${message.slice(0, MAX_READ)} ${data?.slice(0, MAX_READ) ?? ''}`);
  return new NodeError(kind, `${label} answered ${code}: ${quote(message, secrets)}`, details);
}

function fieldsOf(error: unknown): { code: number; message: string; data: string | undefined } {
  const fields: { code?: unknown; message?: unknown; data?: unknown } =
    typeof error === 'object' && error !== null ? error : { message: error };
  const code = Number(fields.code);
  return {
    code: Number.isSafeInteger(code) ? code : 0,
    message: typeof fields.message === 'string' ? fields.message : 'an error without a message',
    data: revertDataIn(fields.data) ?? (typeof fields.data === 'string' ? fields.data : undefined),
  };
}

/** geth, Reth, Nethermind, Besu: the data itself; Parity, OpenEthereum and older Netherminds: "Reverted 0x…". */
const REVERT_DATA = /^(?:reverted )?(0x(?:[0-9a-f]{2})*)$/i;
/** Hardhat has it in `data.data`, Ganache in `data.<transaction>.return`, wallets in `data.originalError.data`. */
const MAX_DEPTH = 3;
const MAX_FIELDS = 16;

/** Data of a revert, wherever in an error's data a node puts it. */
function revertDataIn(data: unknown, depth = 0): string | undefined {
  if (typeof data === 'string') return REVERT_DATA.exec(data)?.[1];
  if (typeof data !== 'object' || data === null || depth === MAX_DEPTH) return undefined;
  const fields = Object.entries(data).slice(0, MAX_FIELDS);
  for (const [name, value] of fields) {
    const isText = typeof value === 'string';
    // Other fields may hold hashes and addresses.
    const found = isText && !DATA_FIELDS.has(name) ? undefined : revertDataIn(value, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const DATA_FIELDS: ReadonlySet<string> = new Set(['data', 'return', 'result', 'output', 'returnData']);

/** A node's text for an error: short, on one line, without URLs and anything else that could be a key. */
function quote(message: string, secrets: readonly string[]): string {
  const withoutSecrets = secrets.reduce(
    (text, secret) => text.replaceAll(secret, '[redacted]'),
    message.slice(0, MAX_READ),
  );
  return withoutSecrets
    .replace(URL_LIKE, '[url]')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_QUOTED);
}
