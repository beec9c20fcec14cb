/** A simulation of shared burst limits: refusals by several gateways of a project that keeps its rate. */
import { BurstLimiter } from '@hindsight/gateway/service.ts';
import { seeded } from './random.ts';

const SECOND_MS = 1_000;

export interface BurstResult {
  /** Share of refused requests of a steady client below its rate. */
  readonly needless: number;
  /** Most requests in ten seconds from a client at full speed, in multiples of the rate. */
  readonly most: number;
}

/** A project behind a balancer that sends each request to any of the gateways. */
export function simulateBurst(gateways: number, rate: number, seconds: number, seed = 1): BurstResult {
  return {
    needless: refusedShare(gateways, rate, seconds, seed),
    most: flood(gateways, rate) / (10 * rate),
  };
}

/** One bucket a gateway, each by its name: they grant alike. */
function gatewaysOf(count: number): {
  readonly clock: { time: number };
  readonly take: (gateway: number, rate: number) => boolean;
} {
  const clock = { time: 0, now: () => clock.time };
  const limiter = new BurstLimiter(clock, () => count);
  return { clock, take: (gateway, rate) => limiter.take(String(gateway), rate).waitMs === 0 };
}

function refusedShare(gateways: number, rate: number, seconds: number, seed: number): number {
  const random = seeded(seed);
  const { clock, take } = gatewaysOf(gateways);
  let [asked, refused] = [0, 0];
  while (clock.time < seconds * SECOND_MS) {
    // Half of the rate, so that chance alone seldom exceeds it.
    clock.time += (-Math.log(1 - random()) * SECOND_MS) / (rate / 2);
    asked++;
    if (!take(Math.floor(random() * gateways), rate)) refused++;
  }
  return refused / asked;
}

function flood(gateways: number, rate: number): number {
  const { clock, take } = gatewaysOf(gateways);
  let passed = 0;
  for (; clock.time < 10 * SECOND_MS; clock.time += 10)
    for (let gateway = 0; gateway < gateways; gateway++) while (take(gateway, rate)) passed++;
  return passed;
}
