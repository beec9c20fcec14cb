/** V8's pretenuring: objects of a kind that survives collections are created in the old generation. */
import { setV8Flag } from './v8-flag.ts';

/**
 * Disables it: every object is created young. V8 decides once for the life of a process, by as few as a hundred objects. A
 * collection in the first moment of a load finds all objects of requests alive; they are created old from then on, and each
 * dead one keeps young ones alive until the next full collection. That took a gateway two fifths of its rate, until it was
 * restarted.
 */
export function disablePretenuring(): void {
  setV8Flag('--no-allocation-site-pretenuring');
}
