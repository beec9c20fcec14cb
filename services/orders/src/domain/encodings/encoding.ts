/** Common to all of the protocol's encodings (https://github.com/Uniswap/UniswapX, src/lib). */
import type { AbiValue } from '@hindsight/chain/abi/decode.ts';
import { TypeReader, type AbiParam } from '@hindsight/chain/abi/types.ts';
import { ParamType } from 'ethers/abi';
import { TypedDataEncoder, type TypedDataField } from 'ethers/hash';
import type { DecodedOrder } from '../order.ts';
import { structHash, type StructHash, type StructTypes } from '../struct-hash.ts';
import type { Cosigned } from './cosigned.ts';

/** `OrderInfo`: reactor, swapper, nonce, deadline, additionalValidationContract, additionalValidationData. */
export type InfoTuple = readonly [string, string, bigint, bigint, string, string];

/** `OrderInfo` as an ABI type. */
const INFO_ABI = 'tuple(address,address,uint256,uint256,address,bytes)';

/** `OrderInfo` as an EIP-712 type. */
const INFO_TYPE =
  'address reactor,address swapper,uint256 nonce,uint256 deadline,address additionalValidationContract,bytes additionalValidationData';

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** Values read from the decoded tuple of one encoding. */
export interface Reading {
  readonly info: InfoTuple;
  /** The members of the order's EIP-712 type, in their order. */
  readonly witness: readonly unknown[];
  /** Token and amount that the swapper permits Permit2 to transfer. */
  readonly permitted: { readonly token: string; readonly amount: bigint };
  readonly cosigned: Cosigned | null;
  /** Exclusive filler; the zero address for everyone. */
  readonly exclusiveFiller: string;
  readonly terms: Pick<DecodedOrder, 'input' | 'outputs' | 'auction'>;
}

export interface Encoding {
  /** One tuple. */
  readonly abi: readonly AbiParam[];
  /** EIP-712's hash of a witness. */
  readonly hash: StructHash;
  /** The witness in the string of Permit2's type: `<type> witness)` and the types that it refers to. */
  readonly witnessType: string;
  /** Interprets values that were decoded by `abi`. */
  read(values: readonly AbiValue[]): Reading;
}

/** The part specific to one encoding: all of them begin with `OrderInfo`. */
interface Definition {
  /** The order's EIP-712 type. */
  readonly name: string;
  /** The ABI types of the members after `info`. */
  readonly abi: readonly string[];
  /** The fields of the EIP-712 type after `info`, as Solidity lists them, and the types that they refer to. */
  readonly fields: string;
  readonly types: Readonly<Record<string, string>>;
  /** Interprets the members after `info`. */
  read(values: readonly AbiValue[]): Omit<Reading, 'info'>;
}

/** Makes an encoding; the EIP-712 types are parsed once. */
export function defineEncoding(definition: Definition): Encoding {
  const { name, abi, fields, types } = definition;
  const listed = { [name]: `OrderInfo info,${fields}`, OrderInfo: INFO_TYPE, ...types };
  const structs = Object.fromEntries(
    Object.entries(listed).map(([struct, members]) => [struct, fieldsOf(members)]),
  );
  return {
    abi: new TypeReader().params([ParamType.from(`tuple(${[INFO_ABI, ...abi].join(',')})`)]),
    hash: structHash(structs),
    witnessType: witnessTypeOf(structs),
    read([first, ...values]) {
      const info = first as unknown as InfoTuple;
      const own = definition.read(values);
      return { ...own, info, witness: [info, ...own.witness] };
    },
  };
}

/**
 * Permit2's `PermitWitnessTransferFrom` type with its witness: the types that it refers to follow in alphabetical
 * order (EIP-712, `encodeType`), `TokenPermissions` among them.
 */
function witnessTypeOf(types: StructTypes): string {
  const full = TypedDataEncoder.from({
    ...types,
    PermitWitnessTransferFrom: fieldsOf(
      `TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,${TypedDataEncoder.getPrimaryType(types)} witness`,
    ),
    TokenPermissions: fieldsOf('address token,uint256 amount'),
  });
  return full.encodeType('PermitWitnessTransferFrom');
}

/** Reads fields as Solidity lists them: `address token,uint256 amount`. */
function fieldsOf(list: string): TypedDataField[] {
  return list.split(',').map((field) => {
    const [type = '', name = ''] = field.split(' ');
    return { name, type };
  });
}

export function decimals(values: readonly bigint[]): string[] {
  return values.map(String);
}
