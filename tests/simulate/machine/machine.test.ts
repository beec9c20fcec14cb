/** The machine under a simulation: its time, its processes, its network. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Machine, Process } from './machine.ts';
import { Network, overNetwork } from './network.ts';
import { Random } from './random.ts';

let machine: Machine;
let seen: string[];
let client: Process;

beforeEach(() => {
  machine = new Machine(new Random(1), Date.UTC(2026, 10, 30));
  seen = [];
  client = new Process('client');
});

describe('virtual time', () => {
  it('passes from event to event, in order', async () => {
    machine.after(3_600_000, () => seen.push(`late at ${machine.now}`));
    machine.after(5, () => seen.push('early'));
    machine.after(5, () => seen.push('early, too'));
    await machine.run(7_200_000);
    expect(seen).toEqual(['early', 'early, too', 'late at 3600000']);
    expect(machine.wallClock(client)).toBe(Date.UTC(2026, 10, 30, 2));
  });

  it('stops for a killed process, and waits for the end of a pause', async () => {
    const loop = async (name: string): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await machine.wait(1_000);
        seen.push(`${name} ${machine.now}`);
      }
    };
    const paused = new Process('paused');
    machine.as(client, () => void loop('client'));
    machine.as(paused, () => void loop('paused'));
    paused.pauseUntil(5_000);
    machine.after(1_500, () => machine.kill(client));
    await machine.run(60_000);
    expect(seen).toEqual(['client 1000', 'paused 5000', 'paused 6000', 'paused 7000']);
  });
});

describe('a process that is paused twice', () => {
  it('does first what came first', async () => {
    const paused = new Process('paused');
    paused.pauseUntil(9_000);
    machine.after(1_000, () => seen.push('first'), paused);
    machine.after(2_000, () => paused.pauseUntil(3_000));
    machine.after(4_000, () => seen.push('second'), paused);
    await machine.run(60_000);
    expect(seen).toEqual(['first', 'second']);
  });
});

describe('the network', () => {
  const open = () => {
    const network = new Network(machine);
    const server = { process: new Process('server'), unavailable: (why: string) => new Error(why) };
    const port = overNetwork(network, server, { add: async (what: string) => seen.push(what) });
    const add = (what: string): void =>
      machine.as(client, () =>
        port.add(what).then(
          (count) => void seen.push(`answered ${count}`),
          (error: Error) => void seen.push(error.message),
        ),
      ) as unknown as void;
    return { network, server, add };
  };

  it('carries a call and its answer', async () => {
    open().add('one');
    await machine.run(60_000);
    expect(seen).toEqual(['one', 'answered 1']);
  });

  it('loses some requests, and some answers of calls that were carried out', async () => {
    const { network, add } = open();
    network.loss = 0.5;
    for (let i = 0; i < 100; i++) add('one');
    await machine.run(60_000);
    const count = (text: RegExp): number => seen.filter((one) => text.test(one)).length;
    expect(count(/answered|no answer in time/)).toBe(100);
    expect(count(/one/)).toBeGreaterThan(count(/answered/));
    expect(count(/one/)).toBeLessThan(100);
  });

  it('still carries out a call whose client has died', async () => {
    const { add } = open();
    add('one');
    machine.kill(client);
    await machine.run(60_000);
    expect(seen).toEqual(['one']);
  });

  it('refuses calls to a server that is down, and carries none across a cut', async () => {
    const { network, server, add } = open();
    network.takeDown(server.process, 1_000);
    add('one');
    await machine.run(1_000);
    network.cut(client, server.process, 2_000);
    add('two');
    await machine.run(60_000);
    expect(seen).toEqual(['connection refused', 'no answer in time']);
  });
});
