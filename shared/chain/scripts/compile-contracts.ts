import solc from 'solc';

interface SolcOutput {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly contracts?: Readonly<
    Record<string, Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }>>
  >;
}

/** A compiled contract. */
export interface CompiledContract {
  readonly abi: unknown[];
  /** Creation code: 0x and hex. */
  readonly bytecode: string;
}

/** Compiles a Solidity file that imports nothing, for the rules that the dev chain runs. By contract name. */
export function compileContracts(source: string): Readonly<Record<string, CompiledContract>> {
  const input = {
    language: 'Solidity',
    sources: { 'source.sol': { content: source } },
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as SolcOutput;
  const failures = output.errors?.filter((error) => error.severity === 'error') ?? [];
  const contracts = output.contracts?.['source.sol'];
  if (failures.length > 0 || contracts === undefined)
    throw new Error(failures.map((failure) => failure.formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.entries(contracts).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` },
    ]),
  );
}
