/** How nodes and providers say that a range of blocks was too much for one `eth_getLogs`, and what they propose. */
import type { NodeError } from '../rpc/node-error.ts';
import { RangeTooLarge, type BlockRange } from './block-range.ts';

/**
 * Words of such refusals: Alchemy ("Log response size exceeded … up to a 10 block range"), Infura and others ("query
 * returned more than 10000 results"), QuickNode ("limited to a 10,000 range"), Reth ("query exceeds max block range",
 * "max results"), Besu ("exceeds maximum range limit"), Ankr ("block range is too wide"), geth and bor ("block range
 * greater than"), Chainstack ("Block range limit exceeded"), Nethermind and others ("too many logs", "query timeout").
 */
const TOO_MUCH =
  /(?:block|query|maximum|max|limited to a [\d,]+) range|range (?:limit|is too)|response size|more than [\d,]+ (?:results|logs)|max(?:imum)? (?:results|logs)|exceeds? (?:the )?(?:limit of [\d,]+|max)|too many (?:logs|results|blocks)|query time(?:d out|out)|answered more than \d+ bytes/i;

/** Whether an error's text is about the size of the range. */
export function isTooMuch(text: string): boolean {
  return TOO_MUCH.test(text);
}

/** A range that the text proposes: "[0x10, 0x20]", or "retry with the range 16-32". */
const PROPOSED_RANGE = /\[\s*(0x[0-9a-f]{1,14})\s*,\s*(0x[0-9a-f]{1,14})\s*\]|range (\d{1,15})-(\d{1,15})/i;
/** A number of blocks that the text allows: "up to a 2K block range", "limited to a 10,000 range", "max block range 100". */
const ALLOWED_BLOCKS =
  /(?:up to an?|limited to an?|within|than|maximum(?: allowed)?(?: is)?:?)\s*([\d,]{1,9})\s*(k?)[ -](?:blocks?\b(?! number)|range)|max(?:imum)? (?:block )?range(?: limit)?(?: is| of|:|\s)*([\d,]{1,9})(?!\d)/i;

/**
 * How many blocks, from the range's first, the text proposes; undefined if it says nothing usable. Always less
 * than was asked for.
 */
export function proposedBlocks(text: string, asked: BlockRange): number | undefined {
  const blocks = fromRange(PROPOSED_RANGE.exec(text), asked) ?? fromCount(ALLOWED_BLOCKS.exec(text));
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
  const digits = found?.[1] ?? found?.[3];
  if (digits === undefined) return undefined;
  return Number(digits.replaceAll(',', '')) * (found?.[2]?.toLowerCase() === 'k' ? 1000 : 1);
}

/** A refusal of a whole range as RangeTooLarge; a fault of the node as it is. */
export function toRangeTooLarge(error: NodeError, range: BlockRange): Error {
  const { kind, message } = error;
  const isRefusal = isTooMuch(message) || kind === 'refused' || kind === 'timeout';
  return isRefusal && range.to > range.from
    ? new RangeTooLarge(proposedBlocks(message, range), error)
    : error;
}
