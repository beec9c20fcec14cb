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
  readonly object: string;
  /** The oldest rules under which it must run. */
  readonly evmVersion: string;
  /** Text in place of its words in capitals. */
  readonly words?: Readonly<Record<string, string>>;
  /** The instructions by which it may end. */
  readonly endings: readonly Ending[];
  /** The module of `Program`, as the program's module imports it. */
  readonly types: string;
}

type Ending = 'return' | 'revert';

const chain = new URL('../src/', import.meta.url);

/** Memory that holds the fields of an item later. */
const SCRATCH = '0x20';
const ARBSYS_GAS = 200_000;
/** ArbSys, at 0x64: `arbBlockNumber()` and `arbBlockHash(uint256)`, whose argument lies at most 256 blocks back. */
const ARBSYS = `
    function arbSys(selector, argument, bytes, otherwise) -> answer {
      let at := ${SCRATCH}
      mstore(at, mul(selector, 0x100000000000000000000000000000000000000000000000000000000))
      mstore(add(at, 4), argument)
      answer := otherwise
      let done := staticcall(${ARBSYS_GAS}, 0x64, at, bytes, at, 32)
      if and(done, eq(returndatasize(), 32)) { answer := mload(at) }
    }
    function arbHeight() -> height {
      height := and(arbSys(0xa3b1b31d, 0, 4, 0xffffffffffffffff), 0xffffffffffffffff)
    }
    function arbParent() -> hash { hash := arbSys(0x2b407a82, sub(arbHeight(), 1), 36, 0) }`;

/** Programs that are sent in an eth_call's data, by the module that holds them compiled. */
export const PROGRAMS: Readonly<
  Record<'multicall' | 'arbsys' | 'name', Program & { module: URL; constant: string }>
> = {
  multicall: {
    source: new URL('state/multicall/multicall.yul', chain),
    object: 'Multicall',
    evmVersion: 'byzantium',
    words: { HEIGHT: 'number()', PARENT: 'blockhash(sub(number(), 1))', FUNCTIONS: '' },
    endings: ['return', 'revert'],
    module: new URL('state/multicall/program.ts', chain),
    constant: 'MULTICALL',
    types: '../../rpc/program.ts',
  },
  arbsys: {
    source: new URL('state/multicall/multicall.yul', chain),
    object: 'Multicall',
    evmVersion: 'byzantium',
    words: { HEIGHT: 'arbHeight()', PARENT: 'arbParent()', FUNCTIONS: ARBSYS },
    endings: ['return', 'revert'],
    module: new URL('state/multicall/arbsys-program.ts', chain),
    constant: 'ARBSYS_MULTICALL',
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

export function moduleOf(program: Program & { constant: string }): string {
  const name = basename(program.source.pathname);
  const endings = program.endings.map((ending) => `  ${ending}:\n    '0x${compileYul(program, ending)}',\n`);
  return (
    `import type { Program } from '${program.types}';\n\n` +
    `/** ${name}, compiled; rebuilt by \`npm run build:programs -w shared/chain\`. */\n` +
    `export const ${program.constant}: Program = {\n${endings.join('')}};\n`
  );
}

/** Compiles a program that ends by an instruction. @returns hex without 0x */
function compileYul({ source, object, evmVersion, words = {} }: Program, ending: Ending): string {
  const yul = readFileSync(source, 'utf8').replaceAll(/^\/\/.*$/gm, '');
  const meant = { ...words, MARKER: `0x${MARKER}`, FINISH: ending };
  const text = Object.entries(meant).reduce((read, [word, means]) => read.replaceAll(word, means), yul);
  return compile(text, object, evmVersion);
}

/** Compiles an object in Yul. @returns hex without 0x */
export function compile(yul: string, object: string, evmVersion: string): string {
  const input = {
    language: 'Yul',
    sources: { program: { content: yul } },
    settings: {
      evmVersion,
      // Every question carries a program, and its pass over Yul makes them longer: the multicall 665 bytes in place of 636.
      optimizer: { enabled: true, details: { yul: false } },
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
