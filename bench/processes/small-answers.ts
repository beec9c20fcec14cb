/** A service that answers at once, with the size of a balance. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const BODY = JSON.stringify({ balance: '1'.repeat(30), text: 'x'.repeat(400) });
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length }).end(BODY);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`service listens at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit(0));
