/**
 * Faults that a client of MongoDB may meet at any command: a lost connection, a failover, a slow or
 * unconfirmed write.
 */
import type { Document } from 'mongodb';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Intercept } from './mongodb-proxy.ts';

/** Something that goes wrong with one command. */
interface MongodbFault {
  readonly name: string;
  /** Reads do not meet it. */
  readonly writesOnly?: true;
  readonly strike: Intercept;
}

/** Longer than the driver waits for an answer. */
const SLOW_MS = 2_500;

const READS = new Set(['find', 'aggregate', 'count', 'getMore']);
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify']);

const refusal = (code: number, codeName: string): Document => ({ ok: 0, code, codeName, errmsg: codeName });

/** The command is not executed. */
function refused(code: number, codeName: string): MongodbFault {
  return { name: `refused with ${code}`, strike: async () => refusal(code, codeName) };
}

/** The command is executed; the answer reports an error. */
function interrupted(code: number, codeName: string): MongodbFault {
  const strike: Intercept = async (_, forward) => {
    await forward();
    return refusal(code, codeName);
  };
  return { name: `executed, answered with ${code}`, strike };
}

/** The write is stored; the server reports that it could not confirm it. */
function unconfirmed(code: number, codeName: string): MongodbFault {
  const strike: Intercept = async (_, forward) => {
    const writeConcernError = { code, codeName, errmsg: 'waiting for replication timed out' };
    return { ...(await forward()), writeConcernError };
  };
  return { name: `not confirmed: ${code}`, writesOnly: true, strike };
}

/** Every fault once. */
const MONGODB_FAULTS: readonly MongodbFault[] = [
  { name: 'cut off before the server', strike: async () => 'cut' },
  {
    name: 'cut off after the server',
    strike: async (_, forward) => {
      await forward();
      return 'cut';
    },
  },
  refused(10_107, 'NotWritablePrimary'),
  interrupted(10_107, 'NotWritablePrimary'),
  refused(11_602, 'InterruptedDueToReplStateChange'),
  interrupted(11_602, 'InterruptedDueToReplStateChange'),
  refused(11_600, 'InterruptedAtShutdown'),
  interrupted(11_600, 'InterruptedAtShutdown'),
  refused(91, 'ShutdownInProgress'),
  interrupted(91, 'ShutdownInProgress'),
  unconfirmed(64, 'WriteConcernTimeout'),
  unconfirmed(100, 'UnsatisfiableWriteConcern'),
  {
    name: 'answered too late',
    strike: async (_, forward) => {
      const answer = await forward();
      await sleep(SLOW_MS);
      return answer;
    },
  },
];

export interface FaultsInTurn {
  readonly intercept: Intercept;
  /** True once every fault has happened. */
  happened(): boolean;
}

/**
 * Commands between one fault and the next, in turn: work of any length fails at any of its steps, and
 * succeeds in the end.
 */
const GAPS = [3, 6, 11, 19, 40];

/** Lets some commands fail. Greetings, and commands that neither read nor write documents, do not. */
export function faultsInTurn(): FaultsInTurn {
  const waiting = [...MONGODB_FAULTS];
  const happened = new Set<string>();
  let [untilNext, faults] = [GAPS[0]!, 0];
  return {
    async intercept(command, forward) {
      const isWrite = WRITES.has(command.name);
      if (!isWrite && !READS.has(command.name)) return forward();
      if (--untilNext > 0) return forward();
      untilNext = GAPS[++faults % GAPS.length]!;
      const at = waiting.findIndex(({ writesOnly }) => isWrite || writesOnly !== true);
      const [fault] = waiting.splice(at, 1);
      if (fault === undefined) return forward();
      waiting.push(fault);
      happened.add(fault.name);
      return fault.strike(command, forward);
    },
    happened: () => happened.size === MONGODB_FAULTS.length,
  };
}
