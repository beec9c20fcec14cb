/** The plan of the dev chain: pure, and the same every time. */
import type { Plan } from './plan-format.ts';
import { castOf } from './story/cast.ts';
import { landmarks } from './story/landmarks.ts';
import { genesis, open } from './story/opening.ts';
import { Script } from './story/script.ts';
import { Traffic } from './story/traffic.ts';
import { passYears } from './story/years.ts';
import { CHAIN } from './world.ts';

/** Writes all blocks and the ledger of their results. */
export function buildPlan(): Plan {
  const start = genesis();
  const script = new Script(start);
  const cast = castOf(script);
  const traffic = new Traffic(cast);
  const events = landmarks();
  passYears(cast);
  open(cast);
  while (script.block < CHAIN.head) {
    script.nextBlock();
    for (const event of events.get(script.block) ?? []) event(cast);
    traffic.write();
  }
  return { genesis: start, blocks: script.blocks, ledger: script.ledger };
}
