import { OPERATIONS } from '@hindsight/api/operations.ts';
import { z } from 'zod';
import { pinnedFields } from '../domain/pinned.ts';
import { tokenFields } from '../domain/token.ts';
import { fieldColumns, tableOf } from '../rows/csv-table.ts';
import {
  address,
  amount,
  next,
  pinned,
  resolved,
  searched,
  standard,
  token,
  unreadReason,
} from './fields.ts';
import { openPage } from './open-page.ts';
import { account, listCursor } from './parameters.ts';
import { blockColumns, TOKEN_COLUMNS, unreadToken } from './shared-columns.ts';
import { defineView } from './view.ts';

/** GET /v1/{network}/allowance/list: what an owner's spenders may spend at a block. */
export const allowanceList = defineView({
  operation: {
    ...OPERATIONS.listTokenAllowances,
    tag: 'Allowances',
    summary: 'List token allowances',
    description:
      'Returns the ERC-20 allowances that are not zero, and the ERC-721 and ERC-1155 operators, of an owner at any block ' +
      'or date, and the allowances that Permit2 keeps for ERC-20 tokens: through them a spender takes what the owner let ' +
      'Permit2 spend, up to the smaller of the two. Events up to that block only say which spenders are asked about; each allowance is read from the state at ' +
      'the block, so that those spent without an event are right. `asked` says how many were asked about, and from which ' +
      'block on events were searched. An answer asks about 2,000 at most, and names in `next` the page with the others. On the ' +
      'first page are those with the newest events; the contract with the most is cut first and named in `asked.cut`, so ' +
      'that no contract takes the room of others. Approvals of a single ' +
      'ERC-721 token, and those that no event names, are not listed. With `Accept: text/csv` an allowance is a row, and so is a pair that could not be ' +
      'read, without an allowance and with the reason in `unread`; the `Link` header names the next page. Costs 5 units a page.',
    success: { name: 'TokenAllowances', description: 'What the spenders may spend at the block' },
  },
  parameters: { owner: account('The owner of the tokens: an address or an ENS name'), cursor: listCursor },
  record: {
    owner: resolved('The owner’s address'),
    ...pinned,
    allowances: z
      .array(
        z.object({
          ...token,
          token_type: standard('erc20', 'erc721', 'erc1155'),
          via: z.enum(['token', 'permit2']).meta({
            description: 'The contract that keeps the allowance: the token itself, or Permit2',
          }),
          spender: address('The account that may spend'),
          allowance: amount('The allowance in the token’s smallest unit').nullable().meta({
            description:
              'The allowance in the token’s smallest unit; null for an operator, who may move all tokens',
          }),
          expiration: z.int().optional().meta({
            description: 'Only of Permit2: the last moment at which it holds, in Unix seconds',
          }),
          expired: z.boolean().optional().meta({
            description:
              'Only of Permit2: true if the block’s time is after `expiration`, so that it can no longer be spent',
          }),
        }),
      )
      .meta({
        description:
          'Every allowance that is not zero, and every operator, among those asked, by token and spender',
      }),
    asked: z.object({
      ...searched,
      pairs: z
        .int()
        .meta({ description: 'The number of pairs of contract and spender that were asked about' }),
      unread: z
        .array(
          z.object({
            token_address: address('A contract'),
            spender: address('A spender'),
            reason: unreadReason,
          }),
        )
        .meta({ description: 'Those of them of which nothing is said' }),
      cut: z.array(address('A contract')).meta({
        description:
          'Contracts of which events name more spenders than their share (500, less where there is no room for the other ' +
          'contracts): those with the newest events are on the first page, the others on later ones',
      }),
    }),
    next,
  },
  async read(state, { owner, cursor }) {
    const pageOf = await openPage(state, [OPERATIONS.listTokenAllowances.operationId, owner], cursor);
    const { open, asked, unread, cut, searched, next } = await state.approvals(owner, cursor);
    return {
      owner,
      ...pinnedFields(state.pinned),
      allowances: open.map((allowance) => ({
        ...tokenFields(allowance.tokenType, allowance),
        via: allowance.expiration === null ? ('token' as const) : ('permit2' as const),
        spender: allowance.spender,
        allowance: allowance.amount?.toString() ?? null,
        // As Permit2 judges it: an allowance holds in the second in which it expires.
        ...(allowance.expiration !== null && {
          expiration: allowance.expiration,
          expired: state.pinned.timestamp > allowance.expiration,
        }),
      })),
      asked: {
        how: searched.how,
        pairs: asked,
        unread: unread.map(({ token, ...pair }) => ({ token_address: token, ...pair })),
        cut: [...cut],
        from_block: searched.fromBlock,
        complete: searched.complete && next === null,
      },
      next: pageOf(next),
    };
  },
  table(record) {
    // A pair that could not be read is a row as well: its allowance may be open.
    const rows = [
      ...record.allowances.map((row) => ({ ...row, operator: row.allowance === null, unread: undefined })),
      ...record.asked.unread.map(({ token_address, spender, reason }) => ({
        ...unreadToken(token_address),
        ...{ spender, allowance: undefined, operator: undefined, via: undefined },
        ...{ expiration: undefined, expired: undefined, unread: reason },
      })),
    ];
    return tableOf<(typeof rows)[number]>(rows, {
      ...blockColumns(record),
      owner: () => record.owner,
      ...TOKEN_COLUMNS,
      ...fieldColumns('spender', 'allowance', 'operator', 'via'),
      expiration: (row) => row.expiration,
      expired: (row) => row.expired,
      unread: (row) => row.unread,
      complete: () => record.asked.complete,
    });
  },
});
