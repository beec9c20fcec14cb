/** What all of the protocol's encodings have in common (https://github.com/Uniswap/UniswapX, src/lib). */
import { ParamType, TypedDataEncoder, type TypedDataField } from 'ethers';
import type { DecodedOrder } from '../order.ts';

/** `OrderInfo`: reactor, swapper, nonce, deadline, additionalValidationContract, additionalValidationData. */
export type InfoTuple = readonly [string, string, bigint, bigint, string, string];

/** `OrderInfo` as an ABI type. */
export const INFO_ABI = 'tuple(address,address,uint256,uint256,address,bytes)';

/** `OrderInfo` as an EIP-712 type. */
export const INFO_TYPE: TypedDataField[] = [
  { name: 'reactor', type: 'address' },
  { name: 'swapper', type: 'address' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
  { name: 'additionalValidationContract', type: 'address' },
  { name: 'additionalValidationData', type: 'bytes' },
];

/** The zero address. */
export const NOBODY = `0x${'0'.repeat(40)}`;

/** What a cosigner has signed beside the order's hash. */
export interface Cosigned {
  readonly cosigner: string;
  readonly cosignature: string;
  /** ABI-encoded cosigner data. */
  readonly data: string;
  /** Whether the digest has the chain's id in it. */
  readonly bindsChain: boolean;
  /** Whether an order may do without a cosigner; its cosigner data must then be empty. */
  readonly optional: boolean;
  /** Whether there is no cosigner data. */
  readonly empty: boolean;
}

/** What is read from the decoded values of one encoding. */
export interface Reading {
  readonly info: InfoTuple;
  /** The order as its EIP-712 type has it. */
  readonly witness: Record<string, unknown>;
  /** What the swapper permits to be taken. */
  readonly permitted: { readonly token: string; readonly amount: bigint };
  readonly cosigned: Cosigned | null;
  /** Who may fill it first; the zero address for everyone. */
  readonly exclusiveFiller: string;
  readonly terms: Pick<DecodedOrder, 'input' | 'outputs' | 'auction'>;
}

/** One of the protocol's order encodings. */
export interface Encoding {
  readonly abi: ParamType;
  readonly typed: TypedDataEncoder;
  /** The witness in the string of Permit2's type: `<type> witness)` and the types that it refers to. */
  readonly witnessType: string;
  /** Interprets values that were decoded by `abi`. */
  read(values: readonly unknown[]): Reading;
}

/** Makes an encoding; the EIP-712 types are parsed once. */
export function defineEncoding(
  abi: readonly string[],
  types: Record<string, TypedDataField[]>,
  read: (values: readonly unknown[]) => Reading,
): Encoding {
  const typed = TypedDataEncoder.from(types);
  return {
    abi: ParamType.from(`tuple(${abi.join(',')})`),
    typed,
    witnessType: witnessTypeOf(typed, types),
    read,
  };
}

/**
 * Permit2's `PermitWitnessTransferFrom` type with its witness: the types that it refers to follow in alphabetical
 * order (EIP-712, `encodeType`), `TokenPermissions` among them.
 */
function witnessTypeOf(typed: TypedDataEncoder, types: Record<string, TypedDataField[]>): string {
  const full = TypedDataEncoder.from({
    ...types,
    PermitWitnessTransferFrom: [
      { name: 'permitted', type: 'TokenPermissions' },
      { name: 'spender', type: 'address' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
      { name: 'witness', type: typed.primaryType },
    ],
    TokenPermissions: [
      { name: 'token', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
  });
  return full.encodeType('PermitWitnessTransferFrom');
}

/** An object of `OrderInfo` for EIP-712. */
export function infoWitness(info: InfoTuple): Record<string, unknown> {
  return Object.fromEntries(INFO_TYPE.map(({ name }, at) => [name, info[at]]));
}

/** Numbers as decimal strings. */
export function decimals(values: readonly bigint[]): string[] {
  return values.map(String);
}
