/** A process with a Fastify server that answers everything with one body, given as argument. */
import Fastify from 'fastify';

const [body = ''] = process.argv.slice(2);
const app = Fastify();
app.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
console.log(`it listens at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
