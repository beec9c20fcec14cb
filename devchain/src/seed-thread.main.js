/**
 * The thread of seed-thread.ts: receives anvil's URL and sends the head. In JavaScript: a thread has no compile cache
 * until it enables one, and TypeScript would load Node's parser first.
 */
import { once } from 'node:events';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { env } from 'node:process';
import { parentPort } from 'node:worker_threads';

if (env.NODE_COMPILE_CACHE) enableCompileCache();
const url = once(parentPort, 'message').then(([text]) => text);
const { seedAnvil } = await import('./seed-anvil.ts');
// V8's flags change while the plan is played, and it refuses code that was cached under others.
flushCompileCache();
parentPort.postMessage(await seedAnvil(url));
