import { OPERATIONS } from '@hindsight/api/operations.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { describeNetworks } from '@hindsight/chain/params.ts';
import { unavailable } from '@hindsight/kernel/errors.ts';
import { PARAMETER_CODES, type ApiOperation } from '@hindsight/http/api-operation.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { z } from 'zod';
import type { OrderAdmission } from '../admission.ts';
import type { Intake, Receipt } from '../intake.ts';
import { chainOf, type OrderChain } from './chains.ts';
import { ORDER_CODES } from '../domain/refusal.ts';
import { orderBody } from './order-body.ts';
import { projectOf } from './project-of.ts';

const params = z.object({
  network: z
    .string()
    .max(100)
    .meta(describeNetworks([...NETWORKS.keys()])),
});

/** There are no query parameters; the gateway removes its own. */
const querystring = z.strictObject({});

const answer = z.object({
  orderHash: z.string().meta({ description: 'The order, lower-cased' }),
  chainId: z.number().meta({ description: 'The id of the chain that the order is for' }),
  duplicate: z
    .boolean()
    .meta({ description: 'True if the order was already known; it is not published again' }),
  pending: z.literal(true).optional().meta({
    description: "Present if the swapper's contract could not be asked yet; it will be, before publication",
  }),
});

interface WebhookDeps {
  readonly chains: ReadonlyMap<string, OrderChain>;
  readonly intake: Pick<Intake, 'take'>;
  readonly admission: OrderAdmission;
}

export const dexWebhook = {
  ...OPERATIONS.submitOrder,
  tag: 'Orders',
  summary: 'Submit UniswapX order',
  description:
    'The webhook of the exchange protocol. 201 means that the order is on disk and will be published. A repeated ' +
    'order is answered with `duplicate: true` and not published again. The encoding, hash, reactor, deadline ' +
    'and the signatures are checked. The body may have up to 64 KiB, `encodedOrder` up to 8192 hexadecimal digits; ' +
    'unknown fields are ignored.',
  params,
  body: orderBody,
  success: {
    status: 201,
    name: 'OrderReceipt',
    schema: answer,
    cacheable: false,
    description: 'The order is stored',
  },
  codes: [
    ...PARAMETER_CODES,
    'demo_read_only',
    'invalid_body',
    'body_too_large',
    'unsupported_media_type',
    ...ORDER_CODES,
  ],
  errors: {
    400: 'The body is not JSON, a field is missing or malformed, or there is a query parameter; the message names it',
    404: 'No such network',
    413: 'The body is larger than 64 KiB',
    415: 'The body is not sent as application/json, or it is compressed',
    422: 'The order is well formed but its encoding, hash, chain, reactor, deadline or signature is wrong; the message names it',
    503: 'The order could not be stored; send it again after `Retry-After`',
  },
} as const satisfies ApiOperation;

/** POST /v1/{network}/orders/dex-webhook: a signed open order. 201 once it is on disk. */
export function addDexWebhook(app: HttpServer, { chains, intake, admission }: WebhookDeps): void {
  const schema = { params, querystring, body: orderBody, response: { 201: answer } };
  app.post(dexWebhook.path, { schema }, async (request, reply) => {
    const chain = chainOf(chains, request.params.network, request.body.chainId);
    const project = projectOf(request);
    const receipt = await admission.pass(() => intake.take(request.body, chain, project));
    if (receipt === 'not stored')
      throw unavailable('store_unavailable', 'The order could not be stored; send it again.');
    return reply.code(201).send(toAnswer(request.body, receipt));
  });
}

function toAnswer({ orderHash, chainId }: z.output<typeof orderBody>, { duplicate, pending }: Receipt) {
  return { orderHash, chainId, duplicate, ...(pending ? { pending: true as const } : {}) };
}
