import { z } from 'zod';
import type { Setting } from '@hindsight/kernel/config.ts';

/** The last part begins with a letter, as that of no IP address does. */
const HOST = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const FORM = 'names of public hosts, separated by commas, without scheme, port or path';

/** A setting that lists the gateways that CCIP-read may ask; absent: none, so that it is off. */
export function gatewayHosts(about: string): Setting<readonly string[]> {
  const schema = z
    .string()
    .optional()
    .transform((value = '') =>
      value
        .split(',')
        .map((host) => host.trim().toLowerCase())
        .filter((host) => host !== ''),
    )
    .refine((hosts) => hosts.every((host) => HOST.test(host)), `expected ${FORM}`);
  return { about: `${about}; ${FORM}`, schema };
}
