/**
 * Ends memberships of dead processes. A broker keeps them, and their partitions, until their sessions end,
 * and a rebalance waits for them. kafkajs 2.2.4 lets a member leave only for itself, so this uses the
 * internal connections of its client (src/index.js, `CREATE_CLUSTER`).
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

/** Error for a member that has left already, or that another process has expelled. */
const NOT_A_MEMBER = 'UNKNOWN_MEMBER_ID';

/**
 * Expels members of some groups by client id. A live one joins again.
 * @returns the number of memberships ended
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
