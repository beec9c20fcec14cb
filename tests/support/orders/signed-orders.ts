/**
 * Signed Dutch_V2 orders in any number, each another one. Made from the protocol's definitions alone, with nothing of
 * the service that is to read them.
 */
import { secp256k1 } from '@bitauth/libauth';
import { AbiCoder, computeAddress, concat, getBytes, hexlify, id, keccak256, TypedDataEncoder } from 'ethers';

/** A webhook body, and the id of the event that is to come of it. */
export interface OrderToSend {
  readonly id: string;
  readonly body: string;
}

const REACTOR = '0x00000011F84B9aa48e5f8aA8B9897600006289Be';
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const NOBODY = `0x${'00'.repeat(20)}`;
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

/** The order with this nonce, valid for a day from now. */
export function makeOrder(nonce: bigint, now = Date.now()): OrderToSend {
  const coder = AbiCoder.defaultAbiCoder();
  const seconds = Math.floor(now / 1000);
  const deadline = seconds + ONE_DAY;
  const amount = 1_000_000_000n + (nonce % 1_000n);
  const witness = {
    info: {
      reactor: REACTOR,
      swapper,
      nonce,
      deadline,
      additionalValidationContract: NOBODY,
      additionalValidationData: '0x',
    },
    cosigner,
    baseInputToken: USDC,
    baseInputStartAmount: amount,
    baseInputEndAmount: amount,
    baseOutputs: [
      { token: NOBODY, startAmount: 3n * 10n ** 17n, endAmount: 2n * 10n ** 17n, recipient: swapper },
    ],
  };
  const orderHash = WITNESS.hash(witness);
  const cosignerData = [seconds, seconds + 60, NOBODY, 0, 0, [0]];
  const cosignature = sign(
    cosignerKey,
    keccak256(concat([orderHash, coder.encode([COSIGNER_DATA], [cosignerData])])),
  );
  const permitted = { token: USDC, amount };
  const permit = PERMIT.hashStruct('PermitWitnessTransferFrom', {
    permitted,
    spender: REACTOR,
    nonce,
    deadline,
    witness,
  });
  const outputs = witness.baseOutputs.map((output) => Object.values(output));
  const values = [
    Object.values(witness.info),
    cosigner,
    [USDC, amount, amount],
    outputs,
    cosignerData,
    cosignature,
  ];
  const body = {
    orderHash,
    createdAt: seconds,
    signature: sign(swapperKey, keccak256(concat(['0x1901', DOMAIN, permit]))),
    offerer: swapper.toLowerCase(),
    orderStatus: 'open',
    encodedOrder: hexlify(coder.encode([ORDER], [values])),
    chainId: CHAIN_ID,
    quoteId: '17cc08ed-6115-476e-8eb8-1fec37589374',
    type: 'Dutch_V2',
    filler: NOBODY,
    notifiedAt: now,
  };
  return { id: `${CHAIN_ID}:${orderHash}`, body: JSON.stringify(body) };
}

/** Many orders; `series` keeps those of several calls apart. */
export function makeOrders(count: number, series: number): OrderToSend[] {
  return Array.from({ length: count }, (_, at) => makeOrder(BigInt(series) * 10n ** 9n + BigInt(at)));
}

/** The same, without holding up what else this process does, as a member of a Kafka group. */
export async function makeManyOrders(count: number, series: number): Promise<OrderToSend[]> {
  const orders: OrderToSend[] = [];
  for (let at = 0; at < count; at++) {
    orders.push(makeOrder(BigInt(series) * 10n ** 9n + BigInt(at)));
    if (at % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return orders;
}

/** What it takes to verify an order, read from its encoding with nothing but ethers. */
interface OrderRead {
  readonly swapper: string;
  /** What the swapper signs. */
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
