/**
 * A service that answers at once, with the size of a balance, and costs as little as a server can. With the argument
 * `final` its answers can never change.
 */
import { createServer, type AddressInfo } from 'node:net';

const BODY = JSON.stringify({ balance: '1'.repeat(30), text: 'x'.repeat(400) });
const LIFETIME = process.argv[2] === 'final' ? 'cache-control: private, max-age=31536000, immutable\r\n' : '';
const ANSWER = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ndate: Sat, 21 Nov 2026 12:00:00 GMT\r\n' +
    `${LIFETIME}connection: keep-alive\r\nkeep-alive: timeout=60\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
);
const END = Buffer.from('\r\n\r\n');
const server = createServer({ noDelay: true }, (socket) => {
  // Requests without a body, that come one at a time: each ends in an empty line.
  socket.on('data', (chunk) => {
    if (chunk.subarray(-END.length).equals(END)) socket.write(ANSWER);
  });
  socket.on('error', () => undefined);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`service listens at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit(0));
