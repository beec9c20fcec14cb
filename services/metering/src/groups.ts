/** The groups in which events are counted, and what each reads. */
export const COUNTING_GROUPS = {
  usage: { group: 'metering', topic: 'usage.recorded' },
  orders: { group: 'metering-orders', topic: 'orders.received' },
} as const;

/** The group that looks again at what changed projects have used: one process for each change. */
export const ALERTS_GROUP = { group: 'metering-alerts', topic: 'projects.changed' } as const;

export const GROUPS: readonly string[] = [...Object.values(COUNTING_GROUPS), ALERTS_GROUP].map(
  ({ group }) => group,
);
