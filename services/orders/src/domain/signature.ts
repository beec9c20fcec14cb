/** Permit2's digest of an order, and signatures in the forms that Permit2 and the reactors accept. */
import { PERMIT2 } from '@hindsight/chain/tokens/permit2.ts';
import { id, TypedDataEncoder } from 'ethers/hash';
import type { Decoded } from './decode.ts';
import { keccakOfHex, wordOf, wordsOf } from './words.ts';

/**
 * The address whose key signed a digest, lower-cased; null if no key can have.
 * @param signature 65 bytes in hexadecimal: r, s, v (27 or 28)
 */
export type RecoverSigner = (digest: string, signature: string) => string | null;

const TOKEN_PERMISSIONS = id('TokenPermissions(address token,uint256 amount)');

const domains = new Map<number, string>();
const permitTypes = new Map<string, string>();

/**
 * The digest that the swapper signs: EIP-712 over Permit2's `PermitWitnessTransferFrom` with the order as its witness,
 * in Permit2's domain of that chain. The spender is the reactor.
 */
export function permit2Digest({ info, permitted, encoding, hash }: Decoded, chainId: number): string {
  const [reactor, , nonce, deadline] = info;
  const permissions = `0x${keccakOfHex(wordsOf([TOKEN_PERMISSIONS, permitted.token, permitted.amount]))}`;
  const type = remembered(permitTypes, encoding.witnessType, () => id(encoding.witnessType));
  const permit = keccakOfHex(wordsOf([type, permissions, reactor, nonce, deadline, hash]));
  const domain = remembered(domains, chainId, () =>
    TypedDataEncoder.hashDomain({ name: 'Permit2', chainId, verifyingContract: PERMIT2 }),
  );
  return `0x${keccakOfHex(`1901${domain.slice(2)}${permit}`)}`;
}

/**
 * The digest that a cosigner signs, without an EIP-191 prefix: the order's hash and the cosigner's data, and
 * between them the chain's id if the version binds it (V3DutchOrderReactor, PriorityOrderReactor; not
 * V2DutchOrderReactor).
 * @param data hexadecimal digits without 0x
 */
export function cosignerDigest(hash: string, data: string, chainId: number | null): string {
  const chain = chainId === null ? '' : wordOf(BigInt(chainId));
  return `0x${keccakOfHex(`${hash.slice(2)}${chain}${data}`)}`;
}

const SHAPE = /^0x[0-9a-f]{128}(?:1b|1c)$/;
/** Half of the order of secp256k1 (SEC 2, section 2.4.1). */
const HALF_ORDER = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';

/** True if an account's key has signed, in the form of accounts: 65 bytes, v 27 or 28, and the lower one of the two possible s. */
export function isSignedBy(
  account: string,
  digest: string,
  signature: string,
  recover: RecoverSigner,
): boolean {
  const isLower = isRecoverable(signature) && signature.slice(66, 130) <= HALF_ORDER;
  return isLower && recover(digest, signature) === account.toLowerCase();
}

/** True if the EVM's `ecrecover` would accept the form of a signature: 65 bytes, v 27 or 28. */
export function isRecoverable(signature: string): boolean {
  return SHAPE.test(signature);
}

function remembered<Key>(known: Map<Key, string>, key: Key, make: () => string): string {
  let value = known.get(key);
  if (value === undefined) {
    value = make();
    known.set(key, value);
  }
  return value;
}
