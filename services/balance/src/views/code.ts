import { OPERATIONS } from '@hindsight/api/operations.ts';
import { keccak256 } from 'ethers/crypto';
import { z } from 'zod';
import { pinnedFields } from '../domain/pinned.ts';
import { hash, pinned, resolved } from './fields.ts';
import { account } from './parameters.ts';
import { defineView } from './view.ts';

/** GET /v1/{network}/code: the size and hash of an account's code at a block. */
export const code = defineView({
  operation: {
    ...OPERATIONS.getCode,
    tag: 'Blocks',
    summary: 'Get code size and hash',
    description:
      'Returns whether there was code at an address at any block or date, its size and its keccak-256 hash. An address ' +
      'without code is an answer: size 0, and null for the hash. The code of an account that delegates (EIP-7702) is its ' +
      '23 bytes, 0xef0100 and the address that it delegates to. A contract that destroyed itself has none.',
    success: { name: 'Code', description: 'The code at the block' },
  },
  parameters: { address: account('The account: an address or an ENS name') },
  record: {
    address: resolved('The account’s address'),
    ...pinned,
    code_size: z.int().meta({ description: 'Bytes of code; 0 where there is none' }),
    code_hash: hash('The keccak-256 hash of the code; null where there is none').nullable(),
  },
  async read(state, { address }) {
    const code = await state.code(address);
    const code_hash = code.length === 0 ? null : keccak256(code);
    return { address, ...pinnedFields(state.pinned), code_size: code.length, code_hash };
  },
});
