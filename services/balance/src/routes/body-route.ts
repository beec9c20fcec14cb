/** Questions about one network by POST with a body of JSON, each a value of a file. */
import { networkParam } from '@hindsight/chain/params.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { sendUncached } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import { withinDeadline } from '@hindsight/http/within-deadline.ts';
import { z } from 'zod';
import type { History } from '../ports.ts';
import { CSV_TYPE, writeTable, type Table } from '../rows/csv-table.ts';
import { pathParams } from '../views/parameters.ts';
import { JSON_BODY_CODES, QUESTION_CODES, QUESTION_ERRORS } from '../views/refusals.ts';
import { prefersCsv } from './immutable-answers.ts';

interface BodyAnswer {
  readonly record: object;
  readonly units: number;
  /** Makes a table of the answer, where it is rows. */
  readonly toTable?: () => Table;
}

/** A question with a body: its documentation, and the reading of an answer. */
export interface BodyRoute<B = never> {
  readonly operation: ApiOperation & { readonly body: z.ZodType };
  readonly read: (history: History, body: B, signal: AbortSignal) => Promise<BodyAnswer>;
}

interface Definition<B extends z.ZodType> {
  readonly operation: Omit<ApiOperation, 'params' | 'body' | 'success'> & {
    readonly success: Pick<ApiOperation['success'], 'name' | 'schema' | 'alternatives' | 'description'>;
  };
  readonly body: B;
  /** Reads the answer. @throws {ApiError} where what was read is none */
  readonly read: BodyRoute<z.output<B>>['read'];
}

export function defineBodyRoute<B extends z.ZodType>({
  operation,
  body,
  read,
}: Definition<B>): BodyRoute<z.output<B>> {
  const { codes, errors, success } = operation;
  return {
    operation: {
      ...operation,
      params: pathParams,
      body,
      success: { status: 200, ...success, cacheable: false },
      codes: [...QUESTION_CODES, ...codes, ...JSON_BODY_CODES],
      errors: {
        ...QUESTION_ERRORS,
        413: 'The body is larger than 1 MiB',
        415: 'The body is not sent as application/json',
        ...errors,
      },
    },
    read,
  };
}

/** Adds a question with a body. @param histories those of the networks that are served, by name */
export function addBodyRoute(
  app: HttpServer,
  { operation, read }: BodyRoute,
  histories: ReadonlyMap<string, History>,
  deadlineMs: number,
): void {
  const { path, body, bulk } = operation;
  const params = z.object({ network: networkParam(histories) });
  const schema = { params, querystring: z.strictObject({}), body };
  app.post(path, { schema, bodyLimit: bulk!.maxBytes }, async (request, reply) => {
    const { network: history } = request.params;
    // The question's own schema has read the body.
    const { record, units, toTable } = await withinDeadline(reply, deadlineMs, (signal) =>
      read(history, request.body as never, signal),
    );
    setUnits(reply, units);
    if (toTable && prefersCsv(request)) return sendUncached(request, reply, writeTable(toTable()), CSV_TYPE);
    return sendUncached(request, reply, JSON.stringify(record));
  });
}
