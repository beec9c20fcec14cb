import type { IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http';

/** A service that answers each line of a body as it comes: first a line of facts, last one that says how many there were. */
export async function echoLines(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let [lines, carry] = [0, ''];
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.write('facts\n');
  for await (const chunk of request) {
    const parts = (carry + String(chunk)).split('\n');
    carry = parts.pop() ?? '';
    lines += parts.length;
    if (parts.length > 0 && !response.write(`${parts.join('\n')}\n`)) await drained(response);
  }
  response.end(`end ${lines}\n`);
}

/** Resolves when there is room again, or the connection is closed. */
export function drained(message: OutgoingMessage): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      message.off('drain', go).off('close', go);
      resolve();
    };
    message.on('drain', go).on('close', go);
    if (message.destroyed) go();
  });
}
