import { choice, integer } from '@hindsight/kernel/config.ts';

/** The settings of accepting orders, in whichever process that runs. */
export const ORDER_SETTINGS = {
  ORDERS_KEEP_DAYS: integer(
    'days that an order is kept at least; beyond that until its deadline, for a year at most',
    {
      min: 1,
      max: 3_650,
      default: 30,
    },
  ),
  ORDERS_READABLE: choice('readers of an order: any project, or its own alone', ['any', 'own'], 'any'),
  ORDERS_MAX_IN_FLIGHT: integer('orders in flight at a time; any further order is refused at once', {
    min: 1,
    max: 10_000,
    default: 128,
  }),
};
