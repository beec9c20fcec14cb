/** The number of a token's holders: a lower bound where some balances could not be read. */
import { groupDigits } from './amounts.js';

/** One holder in so many may be missing without a dot of the chart moving. */
const UNSEEN = 200;

/** The points of a chart; an amount of null, which is a gap, where the number is not known as exactly as it is drawn. */
export function holderPoints({ points }) {
  return points.map(({ block, holders, errors }) => ({
    height: block,
    amount: holders === null || errors * UNSEEN > holders ? null : BigInt(holders),
  }));
}

/** A count in words. */
export function countInWords({ holders, errors }) {
  if (holders === null) return 'no such token';
  return errors > 0 ? `at least ${groupDigits(holders)}` : groupDigits(holders);
}

/** Words for a list without holders. */
export function noneInWords({ errors }) {
  return errors > 0 ? 'No holders were found.' : 'No holders.';
}
