/**
 * ClickHouse's engine (chDB) behind as much of ClickHouse's HTTP interface as its own client needs: one statement a request,
 * in the query or the body; settings and parameters in the query; errors with the server's code. For tests only: there are
 * no users, no compression, and an answer is made whole before it is sent.
 */
import { Session } from 'chdb';
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import process from 'node:process';
import { URL } from 'node:url';

const [folder, port] = process.argv.slice(2);
const session = new Session(folder);
/** Parameters about the client itself, or about the form of the answer. */
const NO_SETTINGS = new Set([
  ...['query', 'query_id', 'database', 'default_format', 'session_id', 'role', 'wait_end_of_query'],
]);
/** As they are without a request's own. */
const DEFAULTS = new Map([['insert_deduplication_token', '']]);

function quoted(value) {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

async function run(url, body) {
  const parameters = [...url.searchParams].filter(([name]) => !NO_SETTINGS.has(name));
  for (const [name, value] of new Map([...DEFAULTS, ...parameters]))
    session.query(`SET ${name} = ${quoted(value)}`);
  const query = url.searchParams.get('query');
  const text = query === null ? body : `${query}\n${body}`;
  if (text.endsWith('FORMAT Parquet')) return (await session.queryAsync(text)).bytes();
  return session.query(text, url.searchParams.get('default_format') ?? 'TabSeparated');
}

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', async () => {
    const url = new URL(request.url, 'http://127.0.0.1');
    if (url.pathname === '/ping') return void response.end('Ok.\n');
    try {
      response.end(await run(url, Buffer.concat(parts).toString()));
    } catch (error) {
      const [, code = '0'] = /Code: (\d+)/.exec(error.message) ?? [];
      response.writeHead(500, { 'x-clickhouse-exception-code': code }).end(error.message);
    }
  });
});
server.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => {
  session.cleanup?.();
  process.exit(0);
});
