import solc from 'solc';

interface SolcOutput {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Record<string, { evm: { bytecode: { object: string } } }>>>;
}

/** Compiles the probe's Yul for Byzantium, the oldest rules under which it must run. Returns hex without 0x. */
export function compileProbe(source: string): string {
  const input = {
    language: 'Yul',
    sources: { 'probe.yul': { content: source } },
    settings: {
      evmVersion: 'byzantium',
      optimizer: { enabled: true, details: { yul: true } },
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as SolcOutput;
  const failures = output.errors?.filter((error) => error.severity === 'error') ?? [];
  const code = output.contracts?.['probe.yul']?.Probe?.evm.bytecode.object;
  if (failures.length > 0 || code === undefined)
    throw new Error(failures.map((f) => f.formattedMessage).join('\n'));
  return code;
}
