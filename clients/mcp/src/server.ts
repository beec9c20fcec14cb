import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { adviceOn } from './faults.ts';
import type { Api, Tool } from './tool.ts';
import { TOOLS } from './tools.ts';

const INSTRUCTIONS =
  "Ethereum's past: what wallets held and spenders could take, at any block or date, exact. Name the moment in every " +
  'question. Cite the amount with the block and its date from `source`; where `finalized` is false, say so. Amounts are ' +
  'whole numbers of the smallest unit, beside them the same in whole tokens: never compute with rounded ones. If `next` is ' +
  'not null, call `next.tool` with `next.arguments` for the rest. Never make up a number where a tool gives an error.';

/** Creates the server: the same tools for every transport. @param api what they ask with */
export function createMcpServer(api: Omit<Api, 'signal'>): McpServer {
  const server = new McpServer({ name: 'hindsight', version: '0.2.0' }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) register(server, tool, api);
  return server;
}

function register(server: McpServer, tool: Tool, api: Omit<Api, 'signal'>): void {
  const { name, title, description, input } = tool;
  const annotations = {
    title,
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  };
  server.registerTool(
    name,
    { title, description, inputSchema: input, annotations },
    async (args, { signal }): Promise<CallToolResult> => {
      try {
        const answer = await tool.run({ ...api, signal }, args);
        return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
      } catch (error) {
        return { isError: true, content: [{ type: 'text', text: adviceOn(error) }] };
      }
    },
  );
}
