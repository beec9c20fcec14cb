import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { z } from 'zod';
import { adviceOn, CORRECT } from './faults.ts';
import { listGuides, NO_SUCH_GUIDE, readGuide } from './guides.ts';
import { networkOf } from './parameters.ts';
import type { Api, NextCall, Tool } from './tool.ts';
import { TOOLS } from './tools.ts';

/** The server's name, as it introduces itself. */
export const SERVER = { name: 'hindsight', version: '0.2.0' } as const;
/** Tools and guides, whose lists do not change while a server runs. */
export const CAPABILITIES = { tools: {}, resources: {} } as const;
/** The protocol's error for a resource that is not there, up to its revision 2025-11-25. */
const RESOURCE_NOT_FOUND = -32_002;
/** The answer of every server to `resources/templates/list`: each guide is listed. */
export const TEMPLATES = { resourceTemplates: [] };

export const INSTRUCTIONS =
  "Ethereum's past: what wallets held and spenders could take, at any block or date, exact. Name the moment in every " +
  'question. Cite the amount with the block and its date from `source`; where `finalized` is false, say so. Amounts are ' +
  'whole numbers of the smallest unit, beside them the same in whole tokens: never compute with rounded ones. If `next` is ' +
  'not null, call `next.tool` with `next.arguments` for the rest. Never make up a number where a tool gives an error.';

/** A tool with the schema of its arguments, made once: over HTTP a server lives for one message. */
const OFFERED = new Map(
  TOOLS.map((tool) => [tool.name, { tool, schema: z.strictObject({ ...tool.input, ...networkOf(tool) }) }]),
);

/** The answer of every server to `tools/list`. */
export const LISTED: ListToolsResult = { tools: [...OFFERED.values()].map(describe) };

/** No server asks users for anything, so nothing is validated by it; each would make one, which takes longer than its answer. */
const VALIDATOR = new AjvJsonSchemaValidator();

/** Faults of arguments, in words for the model. */
const MAX_FAULTS = 10;

/** Creates the server: the same tools for every transport. @param api for their calls */
export function createMcpServer(api: Omit<Api, 'signal'>): Server {
  const server = new Server(SERVER, {
    instructions: INSTRUCTIONS,
    capabilities: CAPABILITIES,
    jsonSchemaValidator: VALIDATOR,
  });
  server.setRequestHandler(ListToolsRequestSchema, () => LISTED);
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    runTool({ ...api, signal }, params.name, params.arguments),
  );
  server.setRequestHandler(ListResourcesRequestSchema, listGuides);
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => TEMPLATES);
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const guide = readGuide(uri, api.url);
    if (guide === undefined) throw new McpError(RESOURCE_NOT_FOUND, NO_SUCH_GUIDE);
    return guide;
  });
  return server;
}

/** Runs a tool. What goes wrong is an error that a model can read. */
export async function runTool(api: Api, name: string, given: unknown): Promise<CallToolResult> {
  const offered = OFFERED.get(name);
  if (offered === undefined) return failed(`There is no tool ${name.slice(0, 60)}; tools/list names them.`);
  const { tool, schema } = offered;
  const { data, error } = schema.safeParse(given ?? {});
  if (data === undefined) return failed(`${faultsOf(error)}. ${CORRECT}`);
  try {
    const answer = await runOn(api, tool, data);
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
  } catch (fault) {
    return failed(adviceOn(fault));
  }
}

/** The tool's answer about the network that is asked about; a call that continues it names the same one. */
async function runOn(
  api: Api,
  tool: Tool,
  { network: name, ...args }: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  if (typeof name !== 'string') return tool.run(api, args);
  const answer = await tool.run({ ...api, client: api.client.on(name) }, args);
  const { next } = answer as { readonly next?: NextCall | null };
  return next ? { ...answer, next: { ...next, arguments: { ...next.arguments, network: name } } } : answer;
}

/** A tool's error, which a model gets to read. */
export function failed(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function faultsOf({ issues }: z.ZodError): string {
  return issues
    .slice(0, MAX_FAULTS)
    .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
    .join('; ');
}

type Listed = ListToolsResult['tools'][number];

function describe({ tool, schema }: { tool: Tool; schema: z.ZodObject }): Listed {
  const { name, title, description } = tool;
  const annotations = {
    title,
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  };
  const inputSchema = z.toJSONSchema(schema, { target: 'draft-07', io: 'input' }) as Listed['inputSchema'];
  const output = z.looseObject(tool.output);
  const outputSchema = z.toJSONSchema(output, { target: 'draft-07' }) as Listed['outputSchema'];
  return { name, title, description, inputSchema, outputSchema, annotations };
}
