import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/** Sets a flag of V8's for the rest of the process. */
export function setV8Flag(flag: string): void {
  // V8 refuses code that was cached under other flags.
  flushCompileCache();
  setFlagsFromString(flag);
}
