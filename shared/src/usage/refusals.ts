/** Why usage is not counted, as its dead letter says. */
export const REFUSED = {
  settled: 'its month is settled',
  noRoom: 'its lane was given up, and its month has no units left for it',
} as const;
