/** V8's second compilation of undici's parser of HTTP responses, which is WebAssembly. */
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/** About 160 responses; by default it is three. */
const BUDGET = 1_000_000_000;

/**
 * Puts it off until the process is busy: it takes a tenth of a start's processor time and leaves 10 MiB behind. Call it once
 * everything is loaded, before the first request to another server.
 */
export function deferParserCompilation(): void {
  // V8 refuses code that was cached under other flags.
  flushCompileCache();
  setFlagsFromString(`--wasm-tiering-budget=${BUDGET}`);
}
