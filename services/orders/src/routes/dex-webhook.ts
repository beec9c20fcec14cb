import { unavailable } from '@hindsight/shared/errors.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Admission } from '../admission.ts';
import type { Intake, Receipt } from '../intake.ts';
import { chainOf, type OrderChain } from './chains.ts';
import { orderBody } from './order-body.ts';

const params = z.object({ network: z.string().max(100) });

const answer = z.object({
  orderHash: z.string().meta({ description: 'The order, lower-cased' }),
  chainId: z.number(),
  duplicate: z.boolean().meta({ description: 'Whether it was known already; it is not published again' }),
  pending: z.literal(true).optional().meta({
    description: "There when the swapper's contract could not be asked yet; it will be, before publishing",
  }),
});

/** Seconds after which a sender may try again when an order could not be stored. */
const RETRY_AFTER_SECONDS = 2;

interface Webhook {
  readonly chains: ReadonlyMap<string, OrderChain>;
  readonly intake: Pick<Intake, 'take'>;
  readonly admission: Admission;
}

/** POST /v1/{network}/orders/dex-webhook: a signed open order. 201 once it is on disk. */
export function addDexWebhook(app: HttpServer, { chains, intake, admission }: Webhook): void {
  const schema = { params, body: orderBody, response: { 201: answer } };
  app.post('/v1/:network/orders/dex-webhook', { schema }, async (request, reply) => {
    const chain = chainOf(chains, request.params.network, request.body.chainId);
    const project = projectOf(request);
    const receipt = await admission.pass(() => intake.take(request.body, chain, project));
    if (receipt === 'not stored') {
      throw unavailable('The order could not be stored; send it again.', RETRY_AFTER_SECONDS);
    }
    return reply.code(201).send(toAnswer(request.body, receipt));
  });
}

function toAnswer({ orderHash, chainId }: z.output<typeof orderBody>, { duplicate, pending }: Receipt) {
  return { orderHash, chainId, duplicate, ...(pending ? { pending: true as const } : {}) };
}

/** Set by the gateway, which lets nobody else set it. */
function projectOf(request: FastifyRequest): string {
  const project = request.headers['x-hindsight-project'];
  if (typeof project === 'string' && project !== '') return project;
  throw new Error('the request did not come through the gateway: it names no project');
}
