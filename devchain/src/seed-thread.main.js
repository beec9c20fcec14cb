/**
 * The thread of seed-thread.ts: receives anvil's URL and sends the head. In JavaScript: a thread has no compile cache
 * until it enables one, and TypeScript would load Node's parser first.
 */
import { once } from 'node:events';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { env, getBuiltinModule } from 'node:process';
import { parentPort } from 'node:worker_threads';

// ethers imports node:http, three of whose exports load Node's own undici when they are read: a twentieth of a second.
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent'])
  Reflect.deleteProperty(getBuiltinModule('node:http'), name);
if (env.NODE_COMPILE_CACHE) enableCompileCache();
const url = once(parentPort, 'message').then(([text]) => text);
const { seedAnvil } = await import('./seed-anvil.ts');
// V8's flags change while the plan is played, and it refuses code that was cached under others.
flushCompileCache();
parentPort.postMessage(await seedAnvil(url));
