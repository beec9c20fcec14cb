/** The baseline of a list request: Fastify with one route that answers the same bytes. Prints where it listens. */
import Fastify from 'fastify';
import { readFileSync } from 'node:fs';

const body = readFileSync(process.argv[2] ?? '', 'utf8');
const app = Fastify({ logger: false });
app.get('/page', (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
console.log(`bare listens at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
