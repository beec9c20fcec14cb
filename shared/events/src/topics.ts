import { ordersReceived } from './orders-received.ts';
import { ordersSettled } from './orders-settled.ts';
import { projectsChanged } from './projects-changed.ts';
import { usageRecorded } from './usage-recorded.ts';
import { usageThreshold } from './usage-threshold.ts';

/** The one registry of topics. To add one, create a file in this folder and add a line here. */
export const TOPICS = {
  'orders.received': ordersReceived,
  'orders.settled': ordersSettled,
  'projects.changed': projectsChanged,
  'usage.recorded': usageRecorded,
  'usage.threshold': usageThreshold,
} as const;

export type Topics = typeof TOPICS;
