/** A service behind the gateways, which answers soon or late, with success or an error, or breaks off. */
import type { GatewayDeps } from '@hindsight/gateway/service.ts';
import type { Machine } from './machine/machine.ts';

type Upstream = GatewayDeps['upstreams']['balance'];

const STATUSES = [200, 200, 200, 200, 200, 200, 404, 422, 400, 500, 503, 429] as const;
const USUAL_MS = 20;
const LATE_MS = 20_000;

export function createService(machine: Machine): Upstream {
  const { random } = machine;
  return {
    dispatch(_request, sink) {
      const late = random.chance(0.01);
      let isOver = false;
      const end = (how: () => void): void => {
        if (isOver) return;
        isOver = true;
        how();
      };
      machine.after(random.about(late ? LATE_MS : USUAL_MS), () =>
        end(() => {
          if (random.chance(0.01)) return sink.fail(new Error('the service broke off'));
          const body = Buffer.from('{}');
          const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
          sink.head(random.pick(STATUSES), headers);
          sink.data(body);
          sink.end();
        }),
      );
      return {
        resume: () => undefined,
        cancel: (reason) => machine.after(0, () => end(() => sink.fail(reason))),
      };
    },
    close: async () => undefined,
  };
}
