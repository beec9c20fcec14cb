import { OPERATIONS } from '@hindsight/api/operations.ts';
import { BodyRows, MAX_BLANK_LINES, type RawRow } from '@hindsight/api/body-rows.ts';
import { MAX_PROVEN_ROWS, MAX_STREAMED_ROWS, MAX_TOKENS } from '@hindsight/api/units.ts';
import { networkParam, whenParams } from '@hindsight/chain/params.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { createEncoder, preferredCoding, preferredType } from '@hindsight/http/content-coding.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { withDeadline } from '@hindsight/kernel/deadline.ts';
import { badRequest, gatewayTimeout } from '@hindsight/kernel/errors.ts';
import { pipeline, Readable } from 'node:stream';
import { z } from 'zod';
import type { ManyBalances } from '../ports.ts';
import type { ByteBudget } from '../rows/byte-budget.ts';
import { BodyReader } from '../rows/body-reader.ts';
import { readHolder, type HolderRow } from '../rows/holders.ts';
import { csv, ndjson } from '../rows/snapshot-format.ts';
import type { Asset } from '../domain/asset.ts';
import type { SharedProof } from '../domain/proof.ts';
import { snapshotFacts, snapshotRecord, type SnapshotFacts } from '../rows/snapshot-records.ts';
import { Snapshot } from '../rows/snapshot.ts';
import { WindowPlaces, type WindowLimits } from '../rows/window-places.ts';
import { checkBulkBody, refuseOther } from './bulk-body.ts';
import { clientSignal } from './client-signal.ts';
import { PROOF_CODES, PROOF_ERRORS, proofParam } from '../views/proof-fields.ts';
import { assetsParam, pathParams, readWhen } from '../views/parameters.ts';
import { BODY_CODES, QUESTION_CODES, QUESTION_ERRORS, TOKEN_CODES } from '../views/refusals.ts';

const BODY = {
  types: ['text/plain', 'text/csv', 'application/x-ndjson'],
  maxBytes: OPERATIONS.getBalanceSnapshot.bulk.maxBytes,
  expected: 'one holder a line',
} as const;
/** A body that brings nothing for this long is not waited for. */
const STALLED_MS = 30_000;
/** Deadlines of single answers in which a snapshot must make progress. */
const DEADLINES_OF_PROGRESS = 3;

/** Of the windows of rows that all snapshots read at once: those of ten snapshots took half a GB. */
const WINDOWS: WindowLimits = { places: 6, each: 2, slow: 12, slowAfterMs: 2_000 };

const querystring = z.strictObject({
  token_address: assetsParam,
  ...whenParams,
  proof: proofParam.meta({
    description:
      'With `storage`, each row has a proof of its balance, which anyone can check against the block’s hash; only for one token, and as NDJSON',
  }),
});

/** POST /v1/{network}/balance/snapshot: the balances of many holders at one block, as a stream. */
export const balanceSnapshot: ApiOperation = {
  ...OPERATIONS.getBalanceSnapshot,
  tag: 'Balances',
  summary: 'Take a balance snapshot',
  description: `Streams what many holders had of up to ${MAX_TOKENS} tokens at one block, in the order of the body.

The body has a holder in each line, an address or a name: as \`text/plain\`, as the first column of \`text/csv\`, or as \`application/x-ndjson\` (a JSON string, or an object with \`holder\`). It is UTF-8, uncompressed, of at most 64 MiB and ${MAX_STREAMED_ROWS.toLocaleString('en')} rows, sent with its \`Content-Length\`. Lines end in LF or CRLF, and blank lines are no rows; there may be 1,000 of them, and one more for each row. In CSV a cell in quotes may contain line ends; \`line\` is then the row's last line. The first row of CSV is a header if its first cell neither begins with \`0x\` nor contains a dot. Up to 100 names are resolved, at that block.

The answer has a record in each line: \`facts\` (the tokens and the block), then \`balance\` or \`error\` for each row, then \`end\`. **An answer without its \`end\` is not complete.** To resume one, send the lines after the last \`line\` that you have, with the block of its \`facts\`. With \`Accept: text/csv\` the rows are \`line,holder,balance,error\`, with a column for each of several tokens; \`facts\` and \`end\` are comments, \`# \` and the JSON.

Read the answer while you send the body: it begins before all is sent. A wrong row is an \`error\` of that row and ends nothing. A request costs one unit for each 100 rows that are started, times tokens.

With \`proof=storage\` each row has the proof of its balance, of one token or of ether: \`facts\` has the header and the nodes to the token; \`nodes\` has the nodes that the rows after it share and refer to by number. Up to ${MAX_PROVEN_ROWS.toLocaleString('en')} rows, at one unit for each 10 that are started. A row whose balance is not the value of its slot is an \`error\`.`,
  params: pathParams,
  querystring,
  body: z.string().meta({ description: 'One holder a line' }),
  bodyTypes: BODY.types,
  success: {
    status: 200,
    name: 'BalanceSnapshotRecord',
    schema: snapshotRecord,
    cacheable: false,
    description: 'A record in each line, as it is read',
    lines: ['application/x-ndjson', 'text/csv'],
  },
  codes: [
    ...QUESTION_CODES,
    ...TOKEN_CODES,
    ...PROOF_CODES,
    ...BODY_CODES,
    'request_timeout',
    'streams_exceeded',
  ],
  errors: {
    ...QUESTION_ERRORS,
    ...PROOF_ERRORS,
    400: `${QUESTION_ERRORS[400]}. Also for a body without rows, and for an ERC-1155 contract`,
    404: 'No such network, no token at the block, or a block above the head',
    411: 'The request has no `Content-Length`',
    413: 'The body is larger than 64 MiB',
    415: 'The body is of another type or charset, or it is compressed',
  },
};

export interface SnapshotBounds {
  readonly deadlineMs: number;
  /** Milliseconds after which the answer of a client ends that neither sends nor takes anything. */
  readonly takenWithinMs: number;
  /** Of the bodies that are taken in. */
  readonly budget: ByteBudget;
  /** Of the windows that are read and not yet taken. */
  readonly room: ByteBudget;
}

function noRows(refusedAt: number | undefined): string {
  if (refusedAt === undefined) return `body: it has no rows; expected ${BODY.expected}`;
  return `body: it begins with more than ${MAX_BLANK_LINES} blank lines; expected ${BODY.expected}`;
}

/** @throws {ApiError} 400 where a snapshot cannot have proofs */
function checkProof(assets: readonly Asset[], type: string): void {
  if (assets.length > 1)
    throw badRequest('proof: expected one token in token_address where proofs are asked for');
  if (type === 'text/csv') throw badRequest('proof: expected application/x-ndjson as the type of the answer');
}

/** Adds the route. @param networks those that are served, by name */
export function addBalanceSnapshot(
  app: HttpServer,
  networks: ReadonlyMap<string, ManyBalances>,
  { deadlineMs, takenWithinMs, budget, room }: SnapshotBounds,
): void {
  const params = z.object({ network: networkParam(networks) });
  const windows = new WindowPlaces(WINDOWS);
  void app.register((scope: HttpServer, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, body, parsed) => parsed(null, body));
    scope.post(
      balanceSnapshot.path,
      { schema: { params, querystring }, onRequest: refuseOther(BODY) },
      async (request, reply) => {
        const { token_address: asked, proof, ...named } = request.query;
        const many = request.params.network;
        const when = readWhen(named);
        const type = checkBulkBody(request, BODY);
        const accepted = preferredType(request.headers.accept, ['application/x-ndjson', 'text/csv']);
        if (proof) checkProof(asked, accepted);
        const client = clientSignal(reply);
        const rows = new BodyRows({ csv: type === 'text/csv' });
        const toRow = (raw: RawRow): HolderRow => readHolder(type, raw);
        const length = Number(request.headers['content-length']);
        const body = new BodyReader(request.raw, { rows, toRow, length, budget, stalledMs: STALLED_MS });
        try {
          const late = (): Error =>
            gatewayTimeout('deadline_exceeded', `The block was not read within ${deadlineMs} ms.`);
          const open = await withDeadline(many.open(asked, when, client), deadlineMs, late);
          const factsWith = (shared?: SharedProof): SnapshotFacts =>
            snapshotFacts(many.network, open.block, asked, (token) => open.facts(token), shared);
          // Before its proofs: an address that is no token must not be refused as a token that cannot be proven.
          const plain = factsWith();
          const unproven = (): Error =>
            gatewayTimeout('deadline_exceeded', `No proof was read within ${deadlineMs} ms.`);
          const prover = proof && (await withDeadline(open.prover(asked[0]!, client), deadlineMs, unproven));
          const facts = prover ? factsWith(prover.shared) : plain;
          if (!(await body.hasRows())) throw badRequest(noRows(body.refusedAt), 'invalid_body');
          const format = accepted === 'text/csv' ? csv(asked) : ndjson(asked);
          const progressWithinMs = DEADLINES_OF_PROGRESS * deadlineMs;
          const end = (): void => void reply.raw.destroy();
          const bounds = { windows, room, progressWithinMs, takenWithinMs };
          const deps = { open, assets: asked, facts, prover, body, format, client, end, ...bounds };
          reply.headers({
            'content-type': format.type,
            'cache-control': 'no-store',
            vary: 'accept, accept-encoding',
          });
          // One piece ahead at the most: a reader that does not read stops the work.
          const pieces = Readable.from(new Snapshot(deps).pieces(), { highWaterMark: 1 });
          const coding = preferredCoding(request.headers['accept-encoding']);
          if (coding === undefined) return await reply.send(pieces);
          const encoder = pipeline(pieces, createEncoder(coding), () => undefined);
          return await reply.header('content-encoding', coding).send(encoder);
        } catch (error) {
          body.discard();
          throw error;
        }
      },
    );
    done();
  });
}
