/** A real contract wallet (ERC-1271) on a dev chain: several owners, all of whom sign. */
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { sendAndMine } from '@hindsight/devchain/control.ts';
import { HOLDERS } from '@hindsight/devchain/world.ts';
import { concat, getAddress } from 'ethers';
import type { Signer } from './people.ts';

const { interface: abi, bytecode } = loadArtifact('JointWallet');

/** Deploys one, on top of the chain's history. */
export async function deployJointWallet(chainUrl: string, owners: readonly Signer[]): Promise<Signer> {
  const constructor = abi.encodeDeploy([owners.map(({ address }) => address)]);
  const { contractAddress } = await sendAndMine(chainUrl, {
    from: HOLDERS.alice,
    data: concat([bytecode, constructor]),
  });
  return signedBy(getAddress(contractAddress), owners);
}

/** The wallet with the given signers. */
export function signedBy(address: string, signers: readonly Signer[]): Signer {
  return {
    address,
    signMessage: async (message) =>
      concat(await Promise.all(signers.map((signer) => signer.signMessage(message)))),
  };
}

/** Replaces one of its owners. */
export async function replaceOwner(
  chainUrl: string,
  wallet: Signer,
  { index, from, to }: { index: number; from: Signer; to: Signer },
): Promise<void> {
  const data = abi.encodeFunctionData('replaceBy', [index, to.address]);
  await sendAndMine(chainUrl, { from: from.address, to: wallet.address, data });
}
