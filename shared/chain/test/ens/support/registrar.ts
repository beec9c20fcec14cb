/** Puts contracts and names on a dev chain that is running. */
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { Interface, id, namehash, ZeroHash } from 'ethers';
import { createJsonRpcNode } from '../../../src/rpc/json-rpc.ts';
import { sendOne, type EthereumNode } from '../../../src/rpc/node.ts';

/** The sender of the transactions; on the dev chain any account may send for any other. */
const SENDER = '0x7005ED7E6BA2585BD2d2Be132DfEA8ED4857C76f';
const REGISTRY = '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e';
const ENS = new Interface(['function setSubnodeRecord(bytes32, bytes32, address, address, uint64)']);
const GAS = '0x1c9c380';

/** Writes to a dev chain; every call makes one block. */
export class Registrar {
  readonly #node: EthereumNode;

  constructor(url: string) {
    this.#node = createJsonRpcNode({ url, timeoutMs: 60_000 });
  }

  /** Creates one of the dev chain's contracts and returns its address, lower-cased. */
  async deploy(contract: string, args: readonly unknown[] = []): Promise<string> {
    const { interface: abi, bytecode } = loadArtifact(contract);
    const receipt = await this.#send({ data: bytecode + abi.encodeDeploy(args).slice(2) });
    return receipt.contractAddress;
  }

  /** Sends a transaction to a contract. */
  async call(to: string, data: string): Promise<void> {
    await this.#send({ to, data });
  }

  /** Puts a resolver in charge of a name. */
  async register(name: string, resolver: string): Promise<void> {
    const [label = '', ...above] = name.split('.');
    const parent = above.length === 0 ? ZeroHash : namehash(above.join('.'));
    const args = [parent, id(label), SENDER, resolver, 0];
    await this.call(REGISTRY, ENS.encodeFunctionData('setSubnodeRecord', args));
  }

  close(): Promise<void> {
    return this.#node.close();
  }

  async #send(transaction: object): Promise<{ contractAddress: string }> {
    const parameters = [{ from: SENDER, gas: GAS, gasPrice: '0x0', ...transaction }];
    const hash = await sendOne(this.#node, 'eth_sendTransaction', parameters);
    const latest = (await sendOne(this.#node, 'eth_getBlockByNumber', ['latest', false])) as {
      timestamp: string;
    };
    await sendOne(this.#node, 'evm_mine', [{ timestamp: Number(latest.timestamp) + 12 }]);
    const receipt = (await sendOne(this.#node, 'eth_getTransactionReceipt', [hash])) as {
      status: string;
      contractAddress: string;
    };
    if (receipt.status !== '0x1') throw new Error('a transaction of the test failed');
    return receipt;
  }
}
