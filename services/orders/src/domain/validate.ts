/** Every check that an order must pass, cheapest first. Pure: time and the recovery of signers are inputs. */
import { decodeOrder, reactorOf, type Decoded } from './decode.ts';
import { ZERO_ADDRESS } from './encodings/encoding.ts';
import type { DecodedOrder, OrderPayload, OrderType } from './order.ts';
import { ORDER_TYPES } from './order.ts';
import { encodingOf, type EncodingName } from './reactors.ts';
import { RefusedOrder } from './refusal.ts';
import { cosignerDigest, isRecoverable, isSignedBy, permit2Digest, type RecoverSigner } from './signature.ts';

/** Inputs of a check besides the order. */
export interface ValidationContext {
  /** The chain that the order was sent for. */
  readonly chain: { readonly name: string; readonly chainId: number };
  /** Unix milliseconds. */
  readonly now: number;
  readonly recover: RecoverSigner;
}

/** An order that passed every check that needs no node. */
export interface ValidatedOrder {
  /** The order's identity: `chainId:orderHash`. */
  readonly id: string;
  readonly order: DecodedOrder;
  /** The digest that the swapper signed. */
  readonly digest: string;
  /**
   * `true`: the swapper's key signed. `false`: it did not, so the order is valid only if the swapper is a
   * contract that confirms it (ERC-1271).
   */
  readonly signedByAccount: boolean;
}

/** The last second of the year 9999; ISO 8601 dates end there. */
const LATEST_DEADLINE = 253_402_300_799n;

/** Checks an order. @throws {RefusedOrder} for the first check that it does not pass */
export function validateOrder(payload: OrderPayload, context: ValidationContext): ValidatedOrder {
  const { chain, now, recover } = context;
  if (payload.chainId !== chain.chainId) {
    throw new RefusedOrder(
      'chain',
      `chainId: ${payload.chainId} is not the chain of ${chain.name}; expected ${chain.chainId}`,
    );
  }
  const encoding = checkReactor(chain, payload.encodedOrder);
  const type = checkType(payload.type, encoding);
  const decoded = decodeOrder(encoding, payload.encodedOrder);
  checkLimit(type, decoded);
  checkAgreement(payload, decoded);
  checkDeadline(decoded, now);
  if (decoded.hash !== payload.orderHash) {
    throw new RefusedOrder(
      'order-hash',
      `orderHash: it is not the hash of encodedOrder, which is ${decoded.hash}`,
    );
  }
  checkCosignature(decoded, chain.chainId, recover);
  const digest = permit2Digest(decoded, chain.chainId);
  return {
    // The hash itself has no chain in it.
    id: `${chain.chainId}:${decoded.hash.toLowerCase()}`,
    order: describe(type, decoded),
    digest,
    signedByAccount: isSignedBy(decoded.info[1], digest, payload.signature, recover),
  };
}

function checkReactor(chain: ValidationContext['chain'], encodedOrder: string): EncodingName {
  const reactor = reactorOf(encodedOrder);
  const encoding = encodingOf(chain.chainId, reactor);
  if (encoding !== undefined) return encoding;
  throw new RefusedOrder(
    'reactor',
    `encodedOrder: its reactor ${reactor} is not one of the protocol's on ${chain.name}`,
  );
}

function checkType(type: string | undefined, encoding: EncodingName): OrderType {
  if (type === undefined) return encoding;
  const known = ORDER_TYPES.find((name) => name === type);
  if (known === undefined) {
    throw new RefusedOrder('type', `type: ${type} is not supported; supported: ${ORDER_TYPES.join(', ')}`);
  }
  if ((known === 'Limit' ? 'Dutch' : known) === encoding) return known;
  throw new RefusedOrder(
    'type',
    `type: it says ${type}, but the reactor of encodedOrder settles ${encoding} orders`,
  );
}

/** The protocol calls a Dutch order a Limit order only where no amount decays. */
function checkLimit(type: OrderType, { terms }: Decoded): void {
  const decays = [terms.input, ...terms.outputs].some(
    ({ startAmount, endAmount }) => startAmount !== endAmount,
  );
  if (type !== 'Limit' || !decays) return;
  throw new RefusedOrder('type', 'type: it says Limit, but amounts of encodedOrder decay; expected Dutch');
}

/** Fields next to the encoding must agree with it. */
function checkAgreement({ offerer, filler }: OrderPayload, { info, exclusiveFiller }: Decoded): void {
  const swapper = info[1].toLowerCase();
  if (swapper === ZERO_ADDRESS)
    throw new RefusedOrder('swapper', 'encodedOrder: its swapper is the zero address');
  if (offerer !== undefined && offerer !== swapper) {
    throw new RefusedOrder('offerer', `offerer: it is not the swapper of encodedOrder, which is ${swapper}`);
  }
  const first = exclusiveFiller.toLowerCase();
  if (filler !== undefined && filler !== first) {
    throw new RefusedOrder(
      'filler',
      `filler: it is not the exclusive filler of encodedOrder, which is ${first}`,
    );
  }
}

/** A reactor accepts an order up to and including the second of its deadline. */
function checkDeadline({ info }: Decoded, now: number): void {
  const deadline = info[3];
  if (deadline > LATEST_DEADLINE) {
    throw new RefusedOrder('deadline', 'encodedOrder: its deadline lies beyond the year 9999');
  }
  if (deadline >= BigInt(Math.floor(now / 1000))) return;
  const passed = new Date(Number(deadline) * 1000).toISOString();
  throw new RefusedOrder('deadline', `encodedOrder: its deadline has passed, at ${passed}`);
}

/** Neither the order's hash nor the swapper's signature covers the cosigner's data: only the cosignature does. */
function checkCosignature({ cosigned, hash }: Decoded, chainId: number, recover: RecoverSigner): void {
  if (cosigned === null) return;
  const { cosigner, cosignature, data, bindsChain } = cosigned;
  if (cosigner === ZERO_ADDRESS) {
    if (cosigned.optional && cosigned.empty && cosignature === '0x') return;
    const expected = cosigned.optional
      ? 'then cosigner data and cosignature must be empty'
      : 'expected a cosigner';
    throw new RefusedOrder('cosignature', `encodedOrder: it names no cosigner; ${expected}`);
  }
  const digest = cosignerDigest(hash, data, bindsChain ? chainId : null);
  const signer = isRecoverable(cosignature) ? recover(digest, cosignature) : null;
  if (signer === cosigner.toLowerCase()) return;
  throw new RefusedOrder(
    'cosignature',
    `encodedOrder: its cosignature is not that of its cosigner ${cosigner} over the cosigner data`,
  );
}

function describe(type: OrderType, { info, cosigned, exclusiveFiller, terms }: Decoded): DecodedOrder {
  const [reactor, swapper, nonce, deadline, contract, data] = info;
  return {
    type,
    reactor,
    swapper,
    nonce: String(nonce),
    deadline: Number(deadline),
    additionalValidationContract: contract,
    additionalValidationData: data,
    filler: exclusiveFiller === ZERO_ADDRESS ? null : exclusiveFiller,
    cosigner: cosigned === null || cosigned.cosigner === ZERO_ADDRESS ? null : cosigned.cosigner,
    ...terms,
  };
}
