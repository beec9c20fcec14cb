/** A bare @fastify/http-proxy: no key, no limit, no count. `node plain-proxy.ts UPSTREAM [WORKERS]` */
import proxy from '@fastify/http-proxy';
import Fastify from 'fastify';
import cluster from 'node:cluster';

const [upstream = '', workers = '1'] = process.argv.slice(2);
if (cluster.isPrimary && Number(workers) > 1) {
  let listening = 0;
  cluster.on('listening', (_worker, { port }) => {
    listening += 1;
    if (listening === Number(workers)) console.log(`proxy listens at http://127.0.0.1:${port}`);
  });
  for (let n = 0; n < Number(workers); n++) cluster.fork();
} else {
  const app = Fastify();
  await app.register(proxy, { upstream, undici: { connections: 128, pipelining: 1 } });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  if (cluster.isPrimary) console.log(`proxy listens at ${url}`);
}
process.on('SIGTERM', () => process.exit(0));
