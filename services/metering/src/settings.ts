import { integer } from '@hindsight/shared/config.ts';

/** The settings of metering, wherever that runs. */
export const METERING_SETTINGS = {
  LANES_GIVEN_UP_AFTER_HOURS: integer(
    'hours of silence after which a gateway’s units are free again by themselves; 0 for never',
    { min: 0, max: 840, default: 24 },
  ),
};
