/** Proposals by nodes and providers after a range of blocks was too large for one `eth_getLogs`. */
import { isRangeTooLarge } from '../rpc/error-texts.ts';
import type { NodeError } from '../rpc/node-error.ts';
import { RangeTooLarge, type BlockRange } from './block-range.ts';

/** A range that the text proposes: "[0x10, 0x20]", or "retry with the range 16-32". */
const PROPOSED_RANGE = /\[\s*(0x[0-9a-f]{1,14})\s*,\s*(0x[0-9a-f]{1,14})\s*\]|range (\d{1,15})-(\d{1,15})/i;
/** A number of blocks that the text allows: "up to a 2K block range", "max is 10k blocks", "(maximum 1024)", "(9 > 5)". */
const ALLOWED_BLOCKS =
  /(?:up to an?|limited to(?: an?)?|within|than|at most|over|maximum(?: allowed)?(?: is)?:?|max is|\d >)\s*(\d[\d,]{0,8})(k?)(?:[ -](?:blocks?\b(?! number)|range|max\b)|\))/i;
/** The same as a value after its name: "max block range 100", "maximum is set to 2048", "blocks distance: 2000". */
const NAMED_LIMIT =
  /(?:max(?:imum)? (?:block )?range(?: limit)?|blocks distance|range exceeds|range \d+ exceeds limit|maximum is set to|than size|requested blocks|narrow your filter)(?: is| of|[:=\s])*(\d[\d,]{0,8})(?!\d)/i;
/** Words of a refusal that any range would get. */
const ANY_RANGE = /\bmethod\b|authenticat|unauthori[sz]ed|forbidden|api[ -]?key/i;
const NO_SUCH_METHOD = -32_601;

/**
 * The number of blocks, from the range's first, that the text proposes; undefined if it proposes none of use.
 * Always less than requested.
 */
export function proposedBlocks(text: string, asked: BlockRange): number | undefined {
  const blocks =
    fromRange(PROPOSED_RANGE.exec(text), asked) ??
    fromCount(ALLOWED_BLOCKS.exec(text) ?? NAMED_LIMIT.exec(text));
  if (blocks === undefined || blocks < 1 || blocks > asked.to - asked.from) return undefined;
  return blocks;
}

function fromRange(found: RegExpExecArray | null, asked: BlockRange): number | undefined {
  const from = found?.[1] ?? found?.[3];
  const to = found?.[2] ?? found?.[4];
  if (from === undefined || to === undefined || Number(from) !== asked.from) return undefined;
  return Number(to) - asked.from + 1;
}

function fromCount(found: RegExpExecArray | null): number | undefined {
  const digits = found?.[1];
  if (digits === undefined) return undefined;
  return Number(digits.replaceAll(',', '')) * (found?.[2]?.toLowerCase() === 'k' ? 1000 : 1);
}

/**
 * An error as RangeTooLarge if a smaller range may be answered: the node says so, took too long, or refuses
 * in unknown words. Any other error unchanged, and that of a single block.
 */
export function toRangeTooLarge(error: NodeError, range: BlockRange): Error {
  if (range.to === range.from || !mayBeTooLarge(error)) return error;
  return new RangeTooLarge(proposedBlocks(error.message, range), error);
}

/** True if the answer was too large, or took too long. */
export function isTooLarge({ kind, message, details }: NodeError): boolean {
  if (kind === 'timeout' || details.tooLarge) return true;
  return kind === 'refused' && isRangeTooLarge(message);
}

/** True also for a refusal in unknown words. */
export function mayBeTooLarge(error: NodeError): boolean {
  if (isTooLarge(error)) return true;
  const { kind, message, details } = error;
  return kind === 'refused' && details.code !== NO_SUCH_METHOD && !ANY_RANGE.test(message);
}
