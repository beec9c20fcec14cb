/** Compiles devchain/contracts/*.sol into devchain/artifacts/<Contract>.json: `npm run build:contracts`. */
import { readdirSync, readFileSync, rmSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from '../servers/install.ts';

interface Solc {
  compile(
    input: string,
    callbacks: { import: (path: string) => { contents: string } | { error: string } },
  ): string;
}
interface Output {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<
    string,
    Record<
      string,
      { abi: unknown[]; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }
    >
  >;
}

const require = createRequire(import.meta.url);
const solc = require('solc') as Solc;
const openzeppelin = join(await install('openzeppelin'), 'node_modules/@openzeppelin/contracts');
const contracts = new URL('../../devchain/contracts/', import.meta.url);
const artifacts = new URL('../../devchain/artifacts/', import.meta.url);

const sources = Object.fromEntries(
  readdirSync(contracts)
    .filter((file) => file.endsWith('.sol'))
    .sort()
    .map((file) => [file, { content: readFileSync(new URL(file, contracts), 'utf8') }]),
);
const settings = {
  // The same evm as the chain's, and no metadata: the bytecode depends on the code alone.
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 1 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
};

/** Files that contracts import from packages. */
function library(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(path.replace('@openzeppelin/contracts', openzeppelin), 'utf8') };
  } catch (error) {
    return { error: String(error) };
  }
}

const output = JSON.parse(
  solc.compile(JSON.stringify({ language: 'Solidity', sources, settings }), { import: library }),
) as Output;
for (const { severity, formattedMessage } of output.errors ?? []) {
  console.error(formattedMessage);
  if (severity === 'error') process.exitCode = 1;
}
if (process.exitCode !== 1) {
  rmSync(artifacts, { recursive: true, force: true });
  mkdirSync(artifacts);
  for (const [source, compiled] of Object.entries(output.contracts ?? {})) {
    // Only this repository's contracts, except abstract ones: those have no bytecode.
    if (!(source in sources)) continue;
    for (const [name, { abi, evm }] of Object.entries(compiled)) {
      if (evm.bytecode.object === '') continue;
      const artifact = {
        abi,
        bytecode: `0x${evm.bytecode.object}`,
        runtime: `0x${evm.deployedBytecode.object}`,
      };
      writeFileSync(new URL(`${name}.json`, artifacts), `${JSON.stringify(artifact)}\n`);
    }
  }
  console.log(`${readdirSync(artifacts).length} artifacts in ${fileURLToPath(artifacts)}`);
}
