import { integer } from '@hindsight/kernel/config.ts';

/** The settings of taking orders, wherever that runs. */
export const ORDER_SETTINGS = {
  ORDERS_KEEP_DAYS: integer('days that an order is kept at least, and until its deadline', {
    min: 1,
    max: 3_650,
    default: 30,
  }),
  ORDERS_MAX_IN_FLIGHT: integer('orders that are taken on at a time; what comes beyond is refused at once', {
    min: 1,
    max: 10_000,
    default: 128,
  }),
};
