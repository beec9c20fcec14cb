/** Why usage is not counted, as its dead letter says. */
export const MONTH_SETTLED = 'its month is settled';
