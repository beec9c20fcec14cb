import { DAY_MS, HOUR_MS } from './durations.ts';

/** How long a key can keep working after its rotation. */
export const GRACES = [
  { ms: DAY_MS, title: '24 hours' },
  { ms: HOUR_MS, title: '1 hour' },
  { ms: 7 * DAY_MS, title: '7 days' },
  { ms: 0, title: 'Revoke immediately' },
] as const;
