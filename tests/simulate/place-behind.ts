/** An instance of a service behind the gateways, over the network. */
import { createInProcessUpstream, type GatewayDeps } from '@hindsight/gateway/service.ts';
import type { Place } from './place.ts';
import type { Machine } from './machine/machine.ts';
import type { Network } from './machine/network.ts';

type Upstream = GatewayDeps['upstreams']['balance'];

/** Reaches whichever process runs at a place. Without an answer, its caller gives up by its own limit. */
export function upstreamTo(place: Place, machine: Machine, network: Network): Upstream {
  return {
    dispatch(request, sink) {
      const caller = machine.process;
      let exchange: ReturnType<Upstream['dispatch']> | undefined;
      let isOver = false;
      const answer = (settle: () => void): void => {
        if (isOver || network.loses(place.process, caller)) return;
        isOver = true;
        machine.after(network.latency(), settle, caller);
      };
      const arrive = (): void => {
        const { app, process } = place;
        const breakOff = (why: string) => (): void => answer(() => sink.fail(new Error(why)));
        if (isOver || network.loses(caller, process)) return;
        if (app === undefined || !process.alive) return breakOff('connection refused')();
        const onKill = breakOff('the connection broke off');
        process.onKill.add(onKill);
        const parts: Buffer[] = [];
        let head: Parameters<typeof sink.head> | undefined;
        const end = (settle: () => void): void => {
          process.onKill.delete(onKill);
          answer(settle);
        };
        const serve = (): void => {
          exchange = createInProcessUpstream(app).dispatch(request, {
            head: (...given) => void (head = given),
            data: (part) => parts.push(part) > 0,
            end: () =>
              end(() => {
                sink.head(...head!);
                sink.data(Buffer.concat(parts));
                sink.end();
              }),
            fail: (error) => end(() => sink.fail(error)),
          });
        };
        machine.after(0, serve, process);
      };
      machine.after(network.latency(), arrive, machine.world);
      return {
        resume: () => undefined,
        cancel(reason) {
          if (isOver) return;
          isOver = true;
          exchange?.cancel(reason);
          machine.after(0, () => sink.fail(reason), caller);
        },
      };
    },
    close: async () => undefined,
  };
}
