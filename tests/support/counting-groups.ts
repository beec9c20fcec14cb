import { type GroupDescription, Kafka, logLevel } from 'kafkajs';

const GROUPS = ['metering', 'metering-orders'];

/** The groups in which metering processes count, as the broker knows them. */
export async function countingGroups(brokers: string): Promise<readonly GroupDescription[]> {
  const admin = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return (await admin.describeGroups(GROUPS)).groups;
  } finally {
    await admin.disconnect();
  }
}
