import { Fault } from '@hindsight/kernel/errors.ts';

/** The index and the walk that is to feed it disagree: nothing is written until an operator has looked. */
export class IndexHalted extends Fault {}
