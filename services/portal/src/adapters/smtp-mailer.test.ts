import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { MailNotSent } from '../ports.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

/** A minimal mail server (RFC 5321). It refuses the first `refusals` emails temporarily. */
function startSmtp(received: string[], refusals: number, breakOff?: () => void): Promise<Server> {
  let left = refusals;
  const serve = (socket: Socket): void => {
    let text: string | undefined;
    let rest = '';
    socket.write('220 ready\r\n');
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString()).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (text !== undefined && line !== '.') text += `${line}\n`;
        else if (text !== undefined) {
          if (breakOff !== undefined) {
            breakOff();
            return void socket.destroy();
          }
          if (left-- <= 0) received.push(text);
          text = undefined;
          socket.write(left >= 0 ? '451 not now\r\n' : '250 taken\r\n');
        } else if (line === 'DATA') {
          text = '';
          socket.write('354 go on\r\n');
        } else if (line === 'QUIT') socket.end('221 bye\r\n');
        else if (line === 'STARTTLS') socket.write('502 not here\r\n');
        else socket.write(line.startsWith('EHLO') ? '250 here\r\n' : '250 ok\r\n');
      }
    });
  };
  const server = createServer(serve);
  return new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(server)));
}

const lines: string[] = [];
const logger = createLogger({
  name: 'test',
  level: 'info',
  destination: { write: (line) => void lines.push(line) },
});
const mail = {
  to: 'ada@example.org',
  subject: 'Choose a new password',
  text: 'Here: https://x/reset?token=hunter2',
};
let received: string[];
let server: Server | undefined;

beforeEach(() => {
  received = [];
  lines.length = 0;
});
afterEach(() => void server?.close());

/** Sends one email to a server at this port, and waits for the outcome. */
async function sendTo(port: number): Promise<void> {
  const lifecycle = createLifecycle(logger);
  const mailer = createSmtpMailer(
    { url: `smtp://127.0.0.1:${port}`, from: 'Hindsight <no-reply@example.org>', pausesMs: [5, 5] },
    { logger, lifecycle },
  );
  try {
    await mailer.send(mail);
  } finally {
    await lifecycle.shutdown('end of test');
  }
}

const portOf = (started: Server): number => (started.address() as AddressInfo).port;

it('confirms what the server has accepted, also after it has refused it for a moment', async () => {
  server = await startSmtp(received, 2);
  await sendTo(portOf(server));
  expect(received).toHaveLength(1);
});

it('reports a server that cannot be reached: the email may be sent later', async () => {
  await expect(sendTo(1)).rejects.toThrow(MailNotSent);
});

it('does not send an email again that the server refuses, or may have accepted', async () => {
  server = await startSmtp(received, 9);
  await sendTo(portOf(server));
  expect(lines.join('')).toContain('email abandoned');
  server.close();
  let exchanges = 0;
  // It takes the whole email, and breaks off before it answers.
  server = await startSmtp([], 0, () => ++exchanges);
  await sendTo(portOf(server));
  expect(exchanges).toBe(1);
});

/** Posts one email, and waits until it is sent or abandoned. */
async function post(
  refusals: number,
  { host = '127.0.0.1', port, query = '' }: { host?: string; port?: number; query?: string } = {},
): Promise<void> {
  server?.close();
  lines.length = 0;
  server = await startSmtp(received, refusals);
  const lifecycle = createLifecycle(logger);
  const url = `smtp://${host}:${port ?? (server.address() as AddressInfo).port}${query}`;
  const mailer = createSmtpMailer(
    { url, from: 'Hindsight <no-reply@example.org>', pausesMs: [5, 5] },
    { logger, lifecycle },
  );
  mailer.post(mail);
  const deadline = performance.now() + 120_000;
  while (received.length === 0 && !lines.join('').includes('abandoned') && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 10));
  await lifecycle.shutdown('end of test');
}

it('sends an email', async () => {
  await post(0);
  expect(received).toHaveLength(1);
  expect(received[0]).toMatch(/^To: ada@example.org$/m);
  expect(received[0]).toMatch(/^From: Hindsight <no-reply@example.org>$/m);
  expect(received[0]).toContain('hunter2');
});

it('retries when the server refuses temporarily', async () => {
  await post(2);
  expect(received).toHaveLength(1);
});

it('sends nothing unencrypted to a remote host without STARTTLS, unless configured to', async () => {
  // An address of this machine that does not look like one.
  await post(0, { host: '0.0.0.0' });
  expect(received).toEqual([]);
  expect(lines.join('')).toContain('email abandoned');
  await post(0, { host: '0.0.0.0', query: '?requireTLS=false' });
  expect(received).toHaveLength(1);
});

it('stops after three attempts, and logs that without the text', async () => {
  await post(9);
  expect(received).toEqual([]);
  expect(lines.join('')).toContain('email abandoned');
  expect(lines.join('')).not.toContain('hunter2');
});

it('does not block its caller while the server is unreachable', async () => {
  await post(0, { port: 1 });
  expect(lines.join('')).toContain('email abandoned');
});
