import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { NETWORK_USERS, NetworkTurns, type NetworkUser } from '../../servers/network-turns.ts';
import { probesOf } from '../../servers/probes.ts';
import { offerServers, stopServers, takeNetworkTurn } from '../../servers/shared-servers.ts';

describe('turns on the network', () => {
  it('are shared by suites of one kind; the other kind waits for all of them and is not overtaken', async () => {
    const turns = new NetworkTurns();
    const ask = (user: NetworkUser): ServerResponse => {
      const answer = new ServerResponse(new IncomingMessage(new Socket()));
      turns.take(user, answer);
      return answer;
    };
    const [first, second, engine, third] = (['browser', 'browser', 'engine', 'browser'] as const).map(ask);
    const begun = () => [first, second, engine, third].map((answer) => answer?.headersSent);
    const end = async (answer: ServerResponse | undefined): Promise<void> => {
      const closed = answer && once(answer, 'close');
      answer?.destroy();
      await closed;
    };
    expect(begun()).toEqual([true, true, false, false]);
    await end(first);
    expect(begun()).toEqual([true, true, false, false]);
    await end(second);
    expect(begun()).toEqual([true, true, true, false]);
    await end(engine);
    expect(begun()).toEqual([true, true, true, true]);
  });

  it('end when they are ended, and with the process that has one', async () => {
    const address = await offerServers({}, probesOf({}));
    try {
      for (const user of NETWORK_USERS) (await takeNetworkTurn(address, user))();
      const script = `fetch('${address}/turns/engine').then(() => console.log('begun'))`;
      const child = spawn(process.execPath, ['-e', `${script}; setInterval(() => {}, 1e6)`]);
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      (await takeNetworkTurn(address, 'browser'))();
    } finally {
      await stopServers(address);
    }
  });
});
