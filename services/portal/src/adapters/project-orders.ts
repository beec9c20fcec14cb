/** A project's orders, as the orders service has them. */
import { textOf, type OtherService } from '@hindsight/http/other-service.ts';
import { badRequest, notFound, unavailable } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { orderPage, shownOrder } from '../order-answers.ts';
import type { ProjectOrders } from '../ports.ts';

/** A page does not wait longer. */
const WAIT_MS = 3_000;
const PAGE = 50;

const fault = z.object({ code: z.string(), message: z.string() });

/** @param service null where this portal does not know the orders service */
export function createProjectOrders(service: OtherService | null): ProjectOrders | null {
  if (service === null) return null;
  const ask = async <T>(project: string, path: string, schema: z.ZodType<T>): Promise<T> => {
    const { status, text } = await answerOf(service, project, path);
    if (status === 200) return schema.parse(JSON.parse(text));
    const { code, message } = fault.parse(JSON.parse(text));
    if (status === 400) throw badRequest(message);
    if (status === 404) throw notFound(code === 'unknown_order' ? code : 'unknown_network', message);
    throw unavailable('service_unavailable', message, { seconds: 5 });
  };
  return {
    list({ network, project, status, cursor }) {
      const query = new URLSearchParams({ own: 'true', limit: String(PAGE) });
      if (status !== undefined) query.set('status', status);
      if (cursor !== undefined) query.set('cursor', cursor);
      return ask(project, `/v1/${network}/orders?${query.toString()}`, orderPage);
    },
    find: ({ network, project, orderHash }) =>
      ask(project, `/v1/${network}/orders/${encodeURIComponent(orderHash)}`, shownOrder),
  };
}

async function answerOf(service: OtherService, project: string, path: string) {
  try {
    const signal = AbortSignal.timeout(WAIT_MS);
    const { status, body } = await service.ask({ method: 'GET', path, project, signal });
    return { status, text: await textOf(body) };
  } catch (cause) {
    throw unavailable('service_unavailable', 'Orders cannot be read at the moment.', { cause, seconds: 5 });
  }
}
