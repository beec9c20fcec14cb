import { OPERATIONS } from '@hindsight/api/operations.ts';
import { POINTS_PER_UNIT } from '@hindsight/api/series-grid.ts';
import { unitsOf } from '@hindsight/api/units.ts';
import { boundParam } from '@hindsight/chain/params.ts';
import { NATIVE } from '../domain/asset.ts';
import { fieldColumns, tableOf, type Table } from '../rows/csv-table.ts';
import { holdingColumns } from './shared-columns.ts';
import { account, assetParam, resolveParam, stepParam } from './parameters.ts';
import { QUESTION_ERRORS } from './refusals.ts';
import { statementRecord, toStatementRecord, type StatementRecord } from './statement-record.ts';
import { defineRange } from './view.ts';

/** GET /v1/{network}/balance/statement: a balance over periods. */
export const balanceStatement = defineRange({
  operation: {
    ...OPERATIONS.getBalanceStatement,
    summary: 'Get a statement',
    description:
      'Returns a wallet’s balance at the ends of up to 1,000 periods, and what came in and went out in each: opening + in − ' +
      'out + unexplained = closing, always. Opening and closing are the state at two blocks, which each period names; in and ' +
      'out are sums of the holder’s events; what they do not explain is told as `unexplained` and never spread. Ether’s ' +
      'transfers are logged from Glamsterdam on, so before, and for fees, withdrawals and rewards, all of it is unexplained: ' +
      '`balance/changes` finds the blocks. With `Accept: text/csv` a period is a row. Costs one unit for every 10 periods begun.',
    success: {
      name: 'BalanceStatement',
      schema: statementRecord,
      description: 'The periods, from the first to the last',
    },
    errors: {
      400: `${QUESTION_ERRORS[400]}. Also for more than 1,000 periods, ends in the wrong order, and an ERC-1155 contract`,
      404: 'No such network, no token at any end of a period, a name without an address at the last block, or an end above the head',
    },
  },
  parameters: {
    token_address: assetParam.meta({ description: 'The token contract, or `native` for ether' }),
    holder: account('The wallet: an address or an ENS name, which is resolved at the last block'),
    from: boundParam.meta({
      description: 'The beginning: a block height, or an ISO 8601 date (UTC if it names no zone)',
    }),
    to: boundParam.optional().meta({
      description:
        'The end: a block height, or an ISO 8601 date, whose first moment is meant: of the year 2023 it is 2024-01-01. Without it, the latest block.',
    }),
    resolve: resolveParam(
      'An ENS name is resolved `once`, at the last block, and refused if it meant another address before; or at the end of `each` ' +
        'of up to 100 periods, which is then a period of that `holder`',
    ),
    step: stepParam.meta({
      description:
        'The length of a period: 1h, 6h, 1d, 1w, 1M (to the same day of the next month, or its last one) or a number of blocks. The last period ends with `to`.',
    }),
  },
  async read(history, asked, signal) {
    const { token_address, holder, from, to = 'latest', step: grid, resolve = 'once' } = asked;
    const token = token_address === NATIVE ? null : token_address;
    const reading = await history.statement({ token, holder, from, to, grid, resolve }, signal);
    const record = toStatementRecord(history.network, reading);
    const units = unitsOf(reading.periods.length, POINTS_PER_UNIT);
    return { record, units, lasting: reading.lasting, toTable };
  },
});

function toTable(body: string): Table {
  const record = JSON.parse(body) as StatementRecord;
  return tableOf(record.periods, {
    ...fieldColumns('from_instant', 'from_date', 'from_block', 'from_block_hash'),
    ...fieldColumns('to_instant', 'to_date', 'to_block', 'to_block_hash'),
    ...holdingColumns(record),
    ...(record.periods.some(({ holder }) => holder !== undefined) && { holder: (row) => row.holder }),
    ...fieldColumns('opening', 'in', 'out', 'unexplained', 'closing', 'transfers', 'cause'),
  });
}
