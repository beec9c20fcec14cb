/**
 * Signed Dutch_V2 orders in any number, all different. Made from the protocol's definitions alone, without
 * code of the service that reads them.
 */
// The package's index loads and instantiates all that it has.
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js';
import {
  AbiCoder,
  computeAddress,
  concat,
  getBytes,
  id,
  keccak256,
  toBeHex,
  TypedDataEncoder,
  ZeroAddress,
} from 'ethers';

const secp256k1 = await instantiateSecp256k1();

/** A webhook body, and the id of its future event. */
export interface OrderToSend {
  readonly id: string;
  readonly body: string;
}

const REACTOR = '0x00000011F84B9aa48e5f8aA8B9897600006289Be';
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const CHAIN_ID = 1;
const ONE_DAY = 86_400;

const swapperKey = id('hindsight tests: a swapper');
const cosignerKey = id('hindsight tests: a cosigner');
const swapper = computeAddress(swapperKey);
const cosigner = computeAddress(cosignerKey);

const COSIGNER_DATA = 'tuple(uint256,uint256,address,uint256,uint256,uint256[])';
const ORDER = `tuple(tuple(address,address,uint256,uint256,address,bytes),address,tuple(address,uint256,uint256),tuple(address,uint256,uint256,address)[],${COSIGNER_DATA},bytes)`;

const ORDER_TYPES = {
  V2DutchOrder: fields(
    'OrderInfo info,address cosigner,address baseInputToken,uint256 baseInputStartAmount,uint256 baseInputEndAmount,DutchOutput[] baseOutputs',
  ),
  OrderInfo: fields(
    'address reactor,address swapper,uint256 nonce,uint256 deadline,address additionalValidationContract,bytes additionalValidationData',
  ),
  DutchOutput: fields('address token,uint256 startAmount,uint256 endAmount,address recipient'),
};

const PERMIT = TypedDataEncoder.from({
  ...ORDER_TYPES,
  PermitWitnessTransferFrom: fields(
    'TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,V2DutchOrder witness',
  ),
  TokenPermissions: fields('address token,uint256 amount'),
});
const WITNESS = TypedDataEncoder.from(ORDER_TYPES);
const DOMAIN = TypedDataEncoder.hashDomain({
  name: 'Permit2',
  chainId: CHAIN_ID,
  verifyingContract: PERMIT2,
});

function fields(text: string): { name: string; type: string }[] {
  return text.split(',').map((field) => {
    const [type = '', name = ''] = field.split(' ');
    return { name, type };
  });
}

function sign(key: string, digest: string): string {
  const signed = secp256k1.signMessageHashRecoverableCompact(getBytes(key), getBytes(digest));
  if (typeof signed === 'string') throw new Error(signed);
  return concat([signed.signature, new Uint8Array([27 + signed.recoveryId])]);
}

/** Stands where a nonce is put later. */
const ANY_NONCE = BigInt(`0x${'cd'.repeat(32)}`);
/** Positions of a nonce, and of the hash of the struct around it, among the hashed words. */
const [NONCE_IN_INFO, INFO_IN_ORDER, NONCE_IN_PERMIT, ORDER_IN_PERMIT] = [3, 1, 3, 5];

/**
 * Makes orders that differ in their nonces only, valid for a day from now. All else is encoded once: encoding each order
 * by itself takes longer than sending it.
 */
export function orderMaker(now: number): (nonce: bigint) => OrderToSend {
  const coder = AbiCoder.defaultAbiCoder();
  const seconds = Math.floor(now / 1000);
  const deadline = seconds + ONE_DAY;
  const amount = 1_000_000_000n;
  const witness = {
    info: {
      reactor: REACTOR,
      swapper,
      nonce: ANY_NONCE,
      deadline,
      additionalValidationContract: ZeroAddress,
      additionalValidationData: '0x',
    },
    cosigner,
    baseInputToken: USDC,
    baseInputStartAmount: amount,
    baseInputEndAmount: amount,
    baseOutputs: [
      { token: ZeroAddress, startAmount: 3n * 10n ** 17n, endAmount: 2n * 10n ** 17n, recipient: swapper },
    ],
  };
  const cosignerData = [seconds, seconds + 60, ZeroAddress, 0, 0, [0]];
  const anyCosignature = `0x${'ab'.repeat(65)}`;
  const outputs = witness.baseOutputs.map((output) => Object.values(output));
  const values = [
    Object.values(witness.info),
    cosigner,
    [USDC, amount, amount],
    outputs,
    cosignerData,
    anyCosignature,
  ];
  const permit = {
    permitted: { token: USDC, amount },
    spender: REACTOR,
    nonce: ANY_NONCE,
    deadline,
    witness,
  };
  const infoWords = WITNESS.encodeData('OrderInfo', witness.info);
  const orderWords = WITNESS.encodeData('V2DutchOrder', witness);
  const permitWords = PERMIT.encodeData('PermitWitnessTransferFrom', permit);
  const encodedCosignerData = coder.encode([COSIGNER_DATA], [cosignerData]);
  const anyOrder = coder.encode([ORDER], [values]);

  return (nonce) => {
    const nonceWord = toBeHex(nonce, 32);
    const infoHash = keccak256(withWord(infoWords, NONCE_IN_INFO, nonceWord));
    const orderHash = keccak256(withWord(orderWords, INFO_IN_ORDER, infoHash));
    const permitted = withWord(permitWords, NONCE_IN_PERMIT, nonceWord);
    const permitHash = keccak256(withWord(permitted, ORDER_IN_PERMIT, orderHash));
    const cosignature = sign(cosignerKey, keccak256(concat([orderHash, encodedCosignerData])));
    const body = {
      orderHash,
      createdAt: seconds,
      signature: sign(swapperKey, keccak256(concat(['0x1901', DOMAIN, permitHash]))),
      offerer: swapper.toLowerCase(),
      orderStatus: 'open',
      encodedOrder: anyOrder
        .replace(toBeHex(ANY_NONCE, 32).slice(2), nonceWord.slice(2))
        .replace(anyCosignature.slice(2), cosignature.slice(2)),
      chainId: CHAIN_ID,
      quoteId: '17cc08ed-6115-476e-8eb8-1fec37589374',
      type: 'Dutch_V2',
      filler: ZeroAddress,
      notifiedAt: now,
    };
    return { id: `${CHAIN_ID}:${orderHash}`, body: JSON.stringify(body) };
  };
}

function withWord(words: string, at: number, word: string): string {
  const begin = 2 + 64 * at;
  return words.slice(0, begin) + word.slice(2) + words.slice(begin + 64);
}

/** The order with this nonce, valid for a day from now. */
export function makeOrder(nonce: bigint, now = Date.now()): OrderToSend {
  return orderMaker(now)(nonce);
}

/** Many orders; `series` keeps those of several calls apart. */
export function makeOrders(count: number, series: number): OrderToSend[] {
  const make = orderMaker(Date.now());
  return Array.from({ length: count }, (_, at) => make(BigInt(series) * 10n ** 9n + BigInt(at)));
}

/** The same, without blocking this process's other work, such as a member of a Kafka group. */
export async function makeManyOrders(count: number, series: number): Promise<OrderToSend[]> {
  const make = orderMaker(Date.now());
  const orders: OrderToSend[] = [];
  for (let at = 0; at < count; at++) {
    orders.push(make(BigInt(series) * 10n ** 9n + BigInt(at)));
    if (at % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return orders;
}

/** Inputs of an order's verification, read from its encoding with nothing but ethers. */
interface OrderRead {
  readonly swapper: string;
  /** The digest that the swapper signs. */
  readonly digest: string;
  readonly cosigner: string;
  readonly cosignature: string;
  readonly cosignerDigest: string;
}

type InfoRead = [string, string, bigint, bigint, string, string];
type OutputRead = [string, bigint, bigint, string];
type Read = [InfoRead, string, [string, bigint, bigint], OutputRead[], unknown[], string];

/** Decodes an order and hashes what is signed of it. */
export function readOrder(encodedOrder: string): OrderRead {
  const coder = AbiCoder.defaultAbiCoder();
  const [order] = coder.decode([ORDER], encodedOrder).toArray(true) as [Read];
  const [info, named, [token, start, end], outputs, cosignerData, cosignature] = order;
  const [reactor, owner, nonce, deadline, contract, data] = info;
  const witness = {
    info: {
      reactor,
      swapper: owner,
      nonce,
      deadline,
      additionalValidationContract: contract,
      additionalValidationData: data,
    },
    cosigner: named,
    baseInputToken: token,
    baseInputStartAmount: start,
    baseInputEndAmount: end,
    baseOutputs: outputs.map(([out, from, to, recipient]) => ({
      token: out,
      startAmount: from,
      endAmount: to,
      recipient,
    })),
  };
  const permitted = { token, amount: end };
  const permit = PERMIT.hashStruct('PermitWitnessTransferFrom', {
    permitted,
    spender: reactor,
    nonce,
    deadline,
    witness,
  });
  return {
    swapper: owner,
    digest: keccak256(concat(['0x1901', DOMAIN, permit])),
    cosigner: named,
    cosignature,
    cosignerDigest: keccak256(concat([WITNESS.hash(witness), coder.encode([COSIGNER_DATA], [cosignerData])])),
  };
}
