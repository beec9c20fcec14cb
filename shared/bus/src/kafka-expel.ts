/**
 * Ends memberships of processes that have died: a broker keeps them until their sessions end, and with them their
 * partitions; a rebalance waits for them, too. kafkajs 2.2.4 lets a member leave only for itself, so this asks with the
 * connections that its client makes inside (src/index.js, `CREATE_CLUSTER`).
 */
import type { GroupDescription, Kafka } from 'kafkajs';

interface Coordinator {
  describeGroups(of: { groupIds: string[] }): Promise<{ groups: GroupDescription[] }>;
  leaveGroup(of: { groupId: string; memberId: string }): Promise<unknown>;
}

interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  findGroupCoordinator(of: { groupId: string }): Promise<Coordinator>;
}

/** The error of a member that has left meanwhile, or that another process has expelled. */
const NOT_A_MEMBER = 'UNKNOWN_MEMBER_ID';

/**
 * Expels the members of some groups whose client id is one of these. One that lives joins again.
 * @returns how many memberships ended
 */
export async function expelKafkaMembers(
  kafka: Kafka,
  groups: readonly string[],
  clientIds: ReadonlySet<string>,
): Promise<number> {
  const cluster = openCluster(kafka);
  let expelled = 0;
  try {
    await cluster.connect();
    for (const groupId of groups) {
      const coordinator = await cluster.findGroupCoordinator({ groupId });
      const described = await coordinator.describeGroups({ groupIds: [groupId] });
      const members = described.groups.flatMap((group) => group.members);
      for (const { memberId } of members.filter(({ clientId }) => clientIds.has(clientId)))
        if (await leave(coordinator, groupId, memberId)) expelled++;
    }
    return expelled;
  } finally {
    await cluster.disconnect();
  }
}

async function leave(coordinator: Coordinator, groupId: string, memberId: string): Promise<boolean> {
  try {
    await coordinator.leaveGroup({ groupId, memberId });
    return true;
  } catch (error) {
    if ((error as { type?: string }).type === NOT_A_MEMBER) return false;
    throw error;
  }
}

function openCluster(kafka: Kafka): Cluster {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  if (symbol === undefined) throw new Error('this version of kafkajs makes no connections by that name');
  const { [symbol]: create } = kafka as unknown as Record<symbol, (options: object) => Cluster>;
  return create!({ allowAutoTopicCreation: false });
}
