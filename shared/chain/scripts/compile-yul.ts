import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import solc from 'solc';
import { MARKER } from '../src/rpc/program.ts';

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
  /** The instructions by which it may end. */
  readonly endings: readonly Ending[];
  /** The module of `Program`, as the program's module imports it. */
  readonly types: string;
}

type Ending = 'return' | 'revert';

const chain = new URL('../src/', import.meta.url);

/** Programs that are sent in an eth_call's data, by the module that holds them compiled. */
export const PROGRAMS: Readonly<Record<'multicall' | 'name', Program & { module: URL; constant: string }>> = {
  multicall: {
    source: new URL('state/multicall/multicall.yul', chain),
    object: 'Multicall',
    evmVersion: 'byzantium',
    endings: ['return', 'revert'],
    module: new URL('state/multicall/program.ts', chain),
    constant: 'MULTICALL',
    types: '../../rpc/program.ts',
  },
  name: {
    source: new URL('ens/name-program.yul', chain),
    object: 'NameProgram',
    // ENS is younger than these rules, and REVERT younger than they are.
    evmVersion: 'tangerineWhistle',
    endings: ['return'],
    module: new URL('ens/name-program.ts', chain),
    constant: 'NAME_PROGRAM',
    types: '../rpc/program.ts',
  },
};

/** A program's module as source text. */
export function moduleOf(program: Program & { constant: string }): string {
  const name = basename(program.source.pathname);
  const endings = program.endings.map((ending) => `  ${ending}:\n    '0x${compileYul(program, ending)}',\n`);
  return (
    `import type { Program } from '${program.types}';\n\n` +
    `/** ${name}, compiled; rebuilt by \`npm run build:programs -w shared/chain\`. */\n` +
    `export const ${program.constant}: Program = {\n${endings.join('')}};\n`
  );
}

/** Compiles a program that ends by an instruction. Returns hex without 0x. */
function compileYul({ source, object, evmVersion }: Program, ending: Ending): string {
  const text = readFileSync(source, 'utf8')
    .replaceAll('MARKER_IN_WORD', `0x${MARKER}${'00'.repeat(24)}`)
    .replaceAll('FINISH(', `${ending}(`);
  const input = {
    language: 'Yul',
    sources: { program: { content: text } },
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
