import { z } from 'zod';

/** The fields of the network, with which every record begins. */
export const network = {
  network_name: z.string().meta({ description: 'The network, as in the path' }),
  chain_id: z.int().meta({ description: 'The network’s chain id' }),
};
