/**
 * The thread of seed-thread.ts: gets anvil's URL, and sends the head. In JavaScript, because threads have Node's compile
 * cache only from here on, and without it Node's TypeScript parser is loaded for each.
 */
import { once } from 'node:events';
import { enableCompileCache } from 'node:module';
import { env } from 'node:process';
import { parentPort } from 'node:worker_threads';

if (env.NODE_COMPILE_CACHE) enableCompileCache();
const url = once(parentPort, 'message').then(([text]) => text);
const { seedAnvil } = await import('./seed-anvil.ts');
parentPort.postMessage(await seedAnvil(url));
