import { OPERATIONS } from '@hindsight/api/operations.ts';
import { z } from 'zod';
import { pinnedFields } from '../domain/pinned.ts';
import { coinFields, tokenFields } from '../domain/token.ts';
import { tableOf } from '../rows/csv-table.ts';
import { blockColumns, TOKEN_COLUMNS, unreadToken } from './shared-columns.ts';
import { address, amount, holder, next, pinned, searched, standard, token, unreadReason } from './fields.ts';
import { openPage } from './open-page.ts';
import { account, listCursor } from './parameters.ts';
import { defineView } from './view.ts';

/** GET /v1/{network}/portfolio: what a wallet held at a block. */
export const portfolio = defineView({
  operation: {
    ...OPERATIONS.getPortfolio,
    tag: 'Balances',
    summary: 'Get portfolio',
    description:
      'Returns the ether and every ERC-20, ERC-721 and ERC-1155 token that a wallet held at any block or date, exact to ' +
      'the unit. Of an ERC-721 contract it says how many tokens the wallet had, not which; of an ERC-1155 contract there ' +
      'is a row for each id. ' +
      'Events up to that block only say which contracts are asked; each balance is read from the state at the block. ' +
      'Where all tokens are indexed (`asked.how` is `index`) they are those of the whole chain, at once. ' +
      '`asked` says which contracts those were, and from which block on events were searched: the answer is exact for them ' +
      'and claims nothing about others. Events that name the wallet in their data alone (CryptoKitties’) are found by the index, ' +
      'and not in a search: up to its last block, about 13 minutes ago. An answer asks about 2,000 contracts and ids at most, and names in `next` the page with the others. On the first page are ' +
      'those with the newest events; the contract with the most ids is cut first, so that no contract takes the room of ' +
      'others. `native_balance` is on each page. With `Accept: text/csv` a token is a row, ether the first; a contract that did not answer is one without a balance, with ' +
      'the reason in `unread`. The `Link` header names the next page. Costs 5 units a page.',
    success: { name: 'Portfolio', description: 'What the wallet held at the block' },
  },
  parameters: { holder: account('The wallet: an address or an ENS name'), cursor: listCursor },
  record: {
    holder,
    ...pinned,
    native_balance: amount('Wei'),
    tokens: z
      .array(
        z.object({
          ...token,
          token_type: standard('erc20', 'erc721', 'erc1155'),
          token_id: amount('Only of ERC-1155, with a row for each id: the id').optional(),
          balance: amount(
            'The balance in the token’s smallest unit, for ERC-721 the number of tokens, for ERC-1155 that of this id',
          ),
        }),
      )
      .meta({ description: 'Every token with a balance, among those asked, by address and id' }),
    asked: z.object({
      ...searched,
      tokens: z.array(address('A contract')).meta({ description: 'The contracts that were asked' }),
      token_ids: z.int().meta({
        description:
          'The number of ids of ERC-1155 contracts among them that were asked about: those that events name',
      }),
      unread: z.array(address('A contract')).meta({
        description: 'Those of them of which nothing is said; `cut`: not of all of their ids',
      }),
      unread_reasons: z.record(z.string(), unreadReason).meta({
        description:
          'Why, by contract. A contract is `cut` where events name more ids than its share: 500, less where there is no ' +
          'room for the other contracts. Those with the newest events are on the first page, the others on later ones',
      }),
    }),
    next,
  },
  async read(state, { holder, cursor }) {
    const pageOf = await openPage(state, [OPERATIONS.getPortfolio.operationId, holder], cursor);
    const { wei, held, asked, askedIds, unread, searched, next } = await state.holdings(holder, cursor);
    return {
      holder,
      ...pinnedFields(state.pinned),
      native_balance: wei.toString(),
      tokens: held.map((token) => ({
        ...tokenFields(token.tokenType, token),
        token_id: token.tokenId?.toString(),
        balance: token.balance.toString(),
      })),
      asked: {
        how: searched.how,
        tokens: [...asked],
        token_ids: askedIds,
        unread: [...unread.keys()],
        unread_reasons: Object.fromEntries(unread),
        from_block: searched.fromBlock,
        complete: searched.complete && next === null,
      },
      next: pageOf(next),
    };
  },
  table(record, { cursor }, network) {
    const ether = { ...coinFields(network), token_id: undefined, balance: record.native_balance };
    // Ether is a row as well, the first of all pages.
    const held = cursor === undefined ? [ether, ...record.tokens] : record.tokens;
    // So is a contract that did not answer, as it may have been held. Of one that is cut, the next pages have the rest.
    const unread = Object.entries(record.asked.unread_reasons).filter(([, reason]) => reason !== 'cut');
    const rows = [
      ...held.map((row) => ({ ...row, unread: undefined })),
      ...unread.map(([address, reason]) => ({
        ...unreadToken(address),
        ...{ token_id: undefined, balance: undefined, unread: reason },
      })),
    ];
    return tableOf<(typeof rows)[number]>(rows, {
      ...blockColumns(record),
      holder: () => record.holder,
      ...TOKEN_COLUMNS,
      token_id: (row) => row.token_id,
      balance: (row) => row.balance,
      unread: (row) => row.unread,
      complete: () => record.asked.complete,
    });
  },
});
