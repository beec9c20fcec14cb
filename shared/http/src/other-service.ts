/** Another service, as its callers see it. */

export interface ServiceRequest {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  /** Rows, one a line; or JSON. */
  readonly body?: { readonly type: 'text/plain; charset=utf-8' | 'application/json'; readonly text: string };
  /** The project that it is for, where the service has to know. */
  readonly project?: string;
  readonly signal: AbortSignal;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The text, part by part. @throws {ApiError} 503 where the answer breaks off */
  readonly body: AsyncIterable<string>;
}

export interface OtherService {
  /** @throws {ApiError} 503 where it cannot be reached */
  ask(request: ServiceRequest): Promise<ServiceAnswer>;
}

export function headersFor({ body, project }: ServiceRequest): Record<string, string> {
  return {
    accept: 'application/x-ndjson, application/json',
    ...(body !== undefined && { 'content-type': body.type }),
    ...(project !== undefined && { 'x-hindsight-project': project }),
  };
}

export async function textOf(body: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of body) text += part;
  return text;
}
