/** Processes of which V8 says what it does. */
import { execFileSync } from 'node:child_process';

/** Creates objects of a kind that survives collections: V8 pretenures them by default, and says so. */
export const MANY_SURVIVE = `
  class Item { constructor(number) { this.number = number; this.next = [number]; } }
  const create = (number) => new Item(number);
  for (let round = 0; round < 20; round++) {
    const kept = [];
    for (let i = 0; i < 200_000; i++) kept.push(create(i));
  }
`;

/** Asks a server: V8 compiles the parser of its responses a second time by default. */
export const TEN_RESPONSES = `
  import { createServer } from 'node:http';
  import { Client } from '@hindsight/kernel/undici.ts';
  const server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  await new Promise((listens) => server.once('listening', listens));
  const client = new Client('http://127.0.0.1:' + server.address().port);
  for (let i = 0; i < 10; i++) await (await client.request({ path: '/', method: 'GET' })).body.text();
  await client.destroy();
  server.close();
`;

/** V8's flag for what it says of pretenuring. */
export const TRACE_PRETENURING = '--trace-pretenuring-statistics';

/** The same of its compilations of WebAssembly. */
export const TRACE_COMPILATION = '--trace-wasm-compilation-times';

/**
 * The output of a process that runs a program under a flag of V8's, such as one that traces.
 * @param folder the folder of its imports
 */
export function outputOf(program: string, flag: string, folder: string): string {
  // On one thread, so that V8 compiles and optimizes while the program runs.
  const flags = ['--single-threaded', flag, '--input-type=module'];
  return execFileSync(process.execPath, [...flags, '--eval', program], { cwd: folder, encoding: 'utf8' });
}
