import { z } from 'zod';

/** The text of an address. */
export const address = (description: string) =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .meta({ description });

/** The hash of a block, transaction or code. */
export const hash = (description: string) =>
  z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .meta({ description });

/** The fields of the network, with which every record begins. */
export const network = {
  network_name: z.string().meta({ description: 'The network, as in the path' }),
  chain_id: z.int().meta({ description: 'The network’s chain id' }),
};
