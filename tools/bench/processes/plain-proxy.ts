/** A bare @fastify/http-proxy: no key, no limit, no count. `node plain-proxy.ts UPSTREAM` */
import proxy from '@fastify/http-proxy';
import Fastify from 'fastify';

const [upstream = ''] = process.argv.slice(2);
const app = Fastify();
await app.register(proxy, { upstream, undici: { connections: 128, pipelining: 1 } });
console.log(`proxy listens at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
process.on('SIGTERM', () => process.exit(0));
