/** Compressed answers (RFC 9110, section 8.4): which coding a client wants, and the work itself, off the event loop. */
import Negotiator from 'negotiator';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A coding that we know. */
export type Coding = 'br' | 'gzip';

/** All of them. */
export const CODINGS: readonly Coding[] = ['br', 'gzip'];

/** Shorter answers fit into one packet anyway; they are sent as they are. */
export const LEAST_CODED_BYTES = 1024;

/** Beyond these, time grows faster than answers shrink. */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
};
const GZIP = { level: 6 };

const inBrotli = promisify(brotliCompress);
const inGzip = promisify(gzip) as (text: string, options: typeof GZIP) => Promise<Buffer>;

/** The coding that a client would like best; undefined where it asks for none of ours. */
export function preferredCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const best = negotiator.encoding([...CODINGS, 'identity']);
  return CODINGS.find((coding) => coding === best);
}

/** Compresses a text, in zlib's threads. */
export function encodeText(text: string, coding: Coding): Promise<Buffer> {
  return coding === 'br' ? inBrotli(text, BROTLI) : inGzip(text, GZIP);
}
