/** A process with Node's own HTTP server, which answers everything with one body, given as argument. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [body = ''] = process.argv.slice(2);
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(body),
};
const server = createServer((_request, response) => void response.writeHead(200, headers).end(body));
server.listen(0, '127.0.0.1', () => {
  console.log(`it listens at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
