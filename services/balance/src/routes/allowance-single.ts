import { addressParam, heightParam, networkParam } from '@hindsight/shared/http/params.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { z } from 'zod';
import { toAllowanceRecord } from '../domain/allowance.ts';
import type { History } from '../ports.ts';

const params = z.object({ network: networkParam });

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The ERC-20 contract' }),
  owner: addressParam.meta({ description: 'Whose tokens' }),
  spender: addressParam.meta({ description: 'Who may spend them' }),
  block_height: heightParam.optional().meta({ description: 'The block; the latest one when not given' }),
});

/** GET /v1/{network}/allowance/single: what a spender could spend of an owner's tokens, at a block. */
export function addAllowanceSingle(app: HttpServer, history: History): void {
  app.get('/v1/:network/allowance/single', { schema: { params, querystring } }, async (request) => {
    const { token_address: token, owner, spender, block_height: height } = request.query;
    const reading = await history.readAllowance(token, owner, spender, height ?? 'latest');
    return toAllowanceRecord(request.params.network, token, { owner, spender }, reading);
  });
}
