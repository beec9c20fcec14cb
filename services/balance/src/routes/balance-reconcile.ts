import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_JSON_ROWS, unitsOf } from '@hindsight/api/units.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { NATIVE } from '../domain/asset.ts';
import type { BookedRow } from '../domain/reconcile.ts';
import { account, assetParam, whenBody } from '../views/parameters.ts';
import { reconcileRecord, toReconcileRecord } from '../views/reconcile-record.ts';
import { MOVED_NAME, TOKEN_CODES } from '../views/refusals.ts';
import { defineBodyRoute } from './body-route.ts';

const { perUnit: ROWS_PER_UNIT } = OPERATIONS.reconcileBalance.units;

const row = z.strictObject({
  block_height: whenBody.block_height.meta({ description: 'The block: one of this and date' }),
  date: whenBody.date.meta({
    description: 'An ISO 8601 date, in UTC if it names no zone: the last block at or before it',
  }),
  balance: z
    .string('expected a decimal whole number as a string')
    .regex(/^\d{1,78}$/, 'expected a decimal whole number as a string')
    .meta({ description: 'What the books say, in the smallest unit' }),
});

/** POST /v1/{network}/balance/reconcile: booked balances against the chain. */
export const balanceReconcile = defineBodyRoute({
  operation: {
    ...OPERATIONS.reconcileBalance,
    tag: 'Balances',
    summary: 'Reconcile books',
    description:
      'Holds up to 1,000 booked balances of a wallet against the state at their blocks. Each row gets the balance on the chain ' +
      'and the difference. `first_divergence` says between which two blocks the books go wrong first, by how much, and which ' +
      'changes there were in between, each at its block: those with events and those that only the state shows, found by ' +
      'bisection. `cause` and `block` name the one that accounts for the difference, where one does. `complete` is false where ' +
      'changes may be missing: more than 100 of them, a bound of the search, or no right row before. Costs one unit for every ' +
      '10 rows begun.',
    success: {
      name: 'Reconciliation',
      schema: reconcileRecord,
      description: 'A result for each row, and the first divergence',
    },
    codes: [...TOKEN_CODES, 'name_moved'],
    errors: {
      400: 'The body is malformed, or the token is an ERC-1155 contract; the message names what is wrong',
      404: 'No such network, no token at any of the blocks, a name without an address at the last one, or a block above the head',
      409: MOVED_NAME,
    },
  },
  body: z.strictObject({
    token_address: assetParam.meta({ description: 'The token contract, or `native` for ether' }),
    holder: account('The wallet: an address or an ENS name, which is resolved at the last row’s block'),
    rows: z
      .array(row, 'expected a list of rows')
      .min(1, 'expected at least one row')
      .max(MAX_JSON_ROWS, `expected at most ${MAX_JSON_ROWS} rows`)
      .meta({ description: 'Balances at blocks or dates, in any order' }),
  }),
  async read(history, { token_address, holder, rows: given }, signal) {
    const rows = given.map(toRow);
    const token = token_address === NATIVE ? null : token_address;
    const reading = await history.reconcile({ token, holder, rows }, signal);
    const record = toReconcileRecord(history.network, reading);
    return { record, units: unitsOf(rows.length, ROWS_PER_UNIT) };
  },
});

/** @throws {ApiError} 400 for a row without a block, or with two */
function toRow({ block_height: height, date, balance }: z.output<typeof row>, at: number): BookedRow {
  if (height !== undefined && date !== undefined)
    throw badRequest(
      `rows[${at}]: has block_height and date; expected one of them`,
      'conflicting_parameters',
    );
  if (height !== undefined) return { when: { height }, balance: BigInt(balance) };
  if (date !== undefined) return { when: { date }, balance: BigInt(balance) };
  throw badRequest(`rows[${at}]: block_height is required, or date`, 'missing_parameter');
}
