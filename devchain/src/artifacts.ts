/** The compiled contracts, as `npm run build:contracts` wrote them. */
import { readFileSync } from 'node:fs';
import { Interface, type InterfaceAbi } from 'ethers/abi';

export interface Artifact {
  interface: Interface;
  /** Creation code, without constructor arguments. */
  bytecode: string;
  /** The deployed code. */
  runtime: string;
}

/** Reads one contract's artifact; throws if it was never built. */
export function loadArtifact(contract: string): Artifact {
  const file = new URL(`../artifacts/${contract}.json`, import.meta.url);
  const { abi, bytecode, runtime } = JSON.parse(readFileSync(file, 'utf8')) as {
    abi: InterfaceAbi;
    bytecode: string;
    runtime: string;
  };
  return { interface: new Interface(abi), bytecode, runtime };
}
