import { addressParam, heightParam, networkParam } from '@hindsight/shared/http/params.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { z } from 'zod';
import { toBalanceRecord } from '../domain/balance.ts';
import type { History } from '../ports.ts';

const params = z.object({ network: networkParam });

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The token contract' }),
  holder: addressParam.meta({ description: 'The wallet' }),
  block_height: heightParam.optional().meta({ description: 'The block; the latest one when not given' }),
});

/** GET /v1/{network}/balance/single: what a holder had of a token, at a block. */
export function addBalanceSingle(app: HttpServer, history: History): void {
  app.get('/v1/:network/balance/single', { schema: { params, querystring } }, async (request) => {
    const { token_address: token, holder, block_height: height } = request.query;
    const reading = await history.readBalance(token, holder, height ?? 'latest');
    return toBalanceRecord(request.params.network, token, holder, reading);
  });
}
