/** Requests as bytes, and inputs filled with hostile texts. */
import type { Text } from './texts.ts';

/** Bytes that Node accepts as request line and headers, less the other parts of a request. */
export const HEAD = 15_500;
/** Characters of a URL up to its limit, less what is around the text. */
export const URL_LENGTH = 7_700;
/** Bytes of a JSON body up to its limit, less what is around the text. */
export const JSON_BODY = 65_000;

/** Target and sender of a request. */
export interface Sender {
  readonly host: string;
  /** In the order in which they are sent; those of a hostile input come last. */
  readonly headers: readonly string[];
}

/** A request that must cost no more than a small one. */
export interface HostileInput {
  readonly server: 'gateway' | 'portal';
  /** The hostile part of the request: `header cookie`. */
  readonly input: string;
  readonly text: string;
  /** A body of the webhook is larger, and orders are verified: it may cost more than all others. */
  readonly isOrder: boolean;
  /**
   * The operation of the document whose input it is, and the name of that input: a parameter, or a body's
   * content type.
   */
  readonly of?: readonly [operationId: string, name: string];
  /** A request that is answered and costs as many units: it may cost no more than three times as much. */
  readonly good?: (this: void, sender: Sender) => string;
  readonly bytes: (this: void, sender: Sender) => string;
}

/** A request, but for what its sender adds. */
export interface Request {
  readonly method?: string;
  readonly target: string;
  /** Whole lines, after the sender's. */
  readonly lines?: readonly string[];
  readonly body?: string;
}

/** The bytes of a request. */
export function bytesOf(
  { host, headers }: Sender,
  { method = 'GET', target, lines = [], body }: Request,
): string {
  const length = body === undefined ? [] : [`content-length: ${body.length}`];
  const own = lines.some((line) => line.startsWith('host:')) ? [] : [`host: ${host}`];
  return `${[`${method} ${target} HTTP/1.1`, ...own, ...headers, ...length, ...lines].join('\r\n')}\r\n\r\n${body ?? ''}`;
}

type Part = Omit<HostileInput, 'text' | 'bytes'> & {
  readonly texts: readonly Text[];
  readonly length: number;
  readonly request: (value: string) => Request;
};

/** An input for each text. */
export function filled({ texts, length, request, ...about }: Part): HostileInput[] {
  return texts.map((text) => {
    // Made once: what is measured is reading it.
    let value: string | undefined;
    return {
      ...about,
      text: text.name,
      bytes: (sender) => bytesOf(sender, request((value ??= text.make(length)))),
    };
  });
}
