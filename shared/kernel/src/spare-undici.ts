/**
 * Keeps Node's own undici out of the process, which takes 13 MB and a twentieth of a second. An `import` of `node:http` reads
 * all of its exports, and three of them load it when they are read; the product uses none of the three. Works for modules that
 * import `node:http` later.
 */
import { getBuiltinModule } from 'node:process';

for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent'])
  Reflect.deleteProperty(getBuiltinModule('node:http'), name);
