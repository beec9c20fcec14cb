import { addressParam, heightParam, networkParam } from '@hindsight/shared/http/params.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { z } from 'zod';
import { toNativeRecord } from '../domain/native.ts';
import type { History } from '../ports.ts';

const params = z.object({ network: networkParam });

const querystring = z.strictObject({
  holder: addressParam.meta({ description: 'The wallet' }),
  block_height: heightParam.optional().meta({ description: 'The block; the latest one when not given' }),
});

/** GET /v1/{network}/balance/native: what an account held of the chain's own coin, at a block. */
export function addBalanceNative(app: HttpServer, history: History): void {
  app.get('/v1/:network/balance/native', { schema: { params, querystring } }, async (request) => {
    const { holder, block_height: height } = request.query;
    const reading = await history.readNative(holder, height ?? 'latest');
    return toNativeRecord(request.params.network, holder, reading);
  });
}
