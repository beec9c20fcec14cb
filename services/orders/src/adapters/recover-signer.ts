// The package's index would load and instantiate all of it, which is 25 MB.
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js';
import { keccakHex } from '@hindsight/chain/keccak.ts';
import type { RecoverSigner } from '../domain/signature.ts';

const secp256k1 = await instantiateSecp256k1();

/**
 * Recovery by libsecp256k1 compiled to WebAssembly: the same answers as the EVM's `ecrecover`, several times faster
 * than in JavaScript. An order's time budget is mostly spent on it.
 */
export const recoverSigner: RecoverSigner = (digest, signature) => {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const recoveryId = (bytes[64] ?? 0) - 27;
  if (bytes.length !== 65 || (recoveryId !== 0 && recoveryId !== 1)) return null;
  const key = secp256k1.recoverPublicKeyUncompressed(
    bytes.subarray(0, 64),
    recoveryId,
    Buffer.from(digest.slice(2), 'hex'),
  );
  return typeof key === 'string' ? null : `0x${keccakHex(key.subarray(1)).slice(-40)}`;
};
