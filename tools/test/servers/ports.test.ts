import { describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../servers/ports.ts';

const PORTS = 60;
const BESIDE = [1, 100];
const PROCESSES = 4;
const MODULE = join(import.meta.dirname, '../../servers/ports.ts');

/** Takes ports with their neighbours, prints them, and keeps them until its stdin ends. */
const TAKE = `
  const { freePort } = await import(${JSON.stringify(MODULE)});
  const ports = [];
  for (let n = 0; n < ${PORTS}; n++) ports.push(await freePort(${JSON.stringify(BESIDE)}));
  console.log(JSON.stringify(ports));
  process.stdin.resume();
`;

async function portsOf({ stdout }: ChildProcess): Promise<number[]> {
  const [line] = (await once(createInterface(stdout!), 'line')) as [string];
  return (JSON.parse(line) as number[]).flatMap((port) => [0, ...BESIDE].map((more) => port + more));
}

describe('free ports', () => {
  it('are given to one at a time, whichever process asks, together with those beside them', async () => {
    const children = Array.from({ length: PROCESSES }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', TAKE], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    try {
      const ports = (await Promise.all(children.map(portsOf))).flat();
      expect(ports).toHaveLength(PROCESSES * PORTS * (1 + BESIDE.length));
      expect(new Set(ports).size).toBe(ports.length);
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
  });

  it('stay below those of outgoing connections, with those beside them', async () => {
    const beside = 11_000;
    for (let n = 0; n < PORTS; n++) expect(await freePort([beside])).toBeLessThan(32_000 - beside);
  });

  it('can be listened on', async () => {
    const port = await freePort();
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    await new Promise((resolve) => server.close(resolve));
  });
});
