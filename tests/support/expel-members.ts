import { once } from 'node:events';
import { connect } from 'node:net';
import { countingGroups } from './counting-groups.ts';

/** https://kafka.apache.org/protocol, "LeaveGroup". */
const LEAVE_GROUP = 13;
const ANSWER_WITHIN_MS = 600_000;

/**
 * Makes the broker forget the members of the metering service's groups, as it does when their sessions end: a process that
 * was killed keeps its partitions for 15 s. Members that live join again.
 */
export async function expelMembers(brokers: string): Promise<void> {
  for (const { groupId, members } of await countingGroups(brokers))
    for (const { memberId } of members) await leave(brokers, groupId, memberId);
}

/** Asks in place of the member: the client library leaves only for itself. */
async function leave(brokers: string, group: string, member: string): Promise<void> {
  const [host, port] = brokers.split(':');
  const socket = connect(Number(port), host);
  socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error('Kafka did not answer')));
  const head = Buffer.alloc(12);
  head.writeInt16BE(LEAVE_GROUP, 4);
  const request = Buffer.concat([head, ...['tests', group, member].map(string)]);
  request.writeInt32BE(request.length - 4);
  socket.write(request);
  await once(socket, 'data');
  socket.destroy();
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
