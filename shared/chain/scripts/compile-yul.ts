import { readFileSync } from 'node:fs';
import solc from 'solc';

interface SolcOutput {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Record<string, { evm: { bytecode: { object: string } } }>>>;
}

/** A program in Yul, and the rules that it must run under. */
interface Program {
  readonly source: URL;
  /** The name of its object. */
  readonly object: string;
  /** The oldest rules under which it must run. */
  readonly evmVersion: string;
}

const chain = new URL('../src/', import.meta.url);

/** Programs that are sent in an eth_call's data, by the module that holds them compiled. */
export const PROGRAMS: Readonly<Record<'multicall' | 'name', Program & { module: URL; constant: string }>> = {
  multicall: {
    source: new URL('state/multicall/multicall.yul', chain),
    object: 'Multicall',
    evmVersion: 'byzantium',
    module: new URL('state/multicall/program.ts', chain),
    constant: 'MULTICALL_CODE',
  },
  name: {
    source: new URL('ens/name-program.yul', chain),
    object: 'NameProgram',
    // ENS is younger than these rules.
    evmVersion: 'tangerineWhistle',
    module: new URL('ens/name-program.ts', chain),
    constant: 'NAME_CODE',
  },
};

/** Compiles a program. Returns hex without 0x. */
export function compileYul({ source, object, evmVersion }: Program): string {
  const input = {
    language: 'Yul',
    sources: { program: { content: readFileSync(source, 'utf8') } },
    settings: {
      evmVersion,
      optimizer: { enabled: true, details: { yul: true } },
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as SolcOutput;
  const failures = output.errors?.filter((error) => error.severity === 'error') ?? [];
  const code = output.contracts?.program?.[object]?.evm.bytecode.object;
  if (failures.length > 0 || code === undefined)
    throw new Error(failures.map((f) => f.formattedMessage).join('\n'));
  return code;
}
