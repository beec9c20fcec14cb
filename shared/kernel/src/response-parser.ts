/** V8's second compilation of undici's parser of HTTP responses, which is WebAssembly. */
import { setV8Flag } from './v8-flag.ts';

/** About 160 responses; by default it is three. */
const BUDGET = 1_000_000_000;

/**
 * Puts it off until the process is busy: it takes a tenth of a start's processor time and leaves 10 MiB behind. Call it once
 * everything is loaded, before the first request to another server.
 */
export function deferParserCompilation(): void {
  setV8Flag(`--wasm-tiering-budget=${BUDGET}`);
}
