/** Takes whatever it is sent, and keeps nothing: a collector that costs little. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.setHeader('content-type', 'application/x-protobuf').end());
});
server.listen(0, '127.0.0.1', () => {
  console.log(`collector listens at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit(0));
