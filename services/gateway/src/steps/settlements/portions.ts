import type { IncomingMessage } from 'node:http';
import { ApiError } from '@hindsight/kernel/errors.ts';
import { COST_HEADER } from '../../domain/headers.ts';
import { streamPriceOf } from '@hindsight/api/units.ts';
import type { Answer } from '../../upstreams/forward.ts';
import { meterUpstream } from '../../upstreams/metered-upstream.ts';
import { PassingBody } from '../../upstreams/passing-body.ts';
import { counts } from '../../usage/counts.ts';
import { queryOf } from '../request.ts';
import { notRecorded } from '../../domain/refusals.ts';
import { StreamMeter } from '../stream-meter.ts';
import type { Passage, Settlement } from './settlement.ts';

/** Settles an answer that comes while the body passes: its cost is known only at its end, and recorded in portions. */
export function settlePortions(passage: Passage): Settlement {
  const { deps, authorized, exchange, admission, giveBack } = passage;
  const { project, identifyAgain, url } = authorized;
  const { request, response, headers } = exchange;
  const { socket } = request;
  const meter = new StreamMeter(passage, streamPriceOf(queryOf(url)), { csv: isCsv(request) });
  const body = new PassingBody(request, meter);
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  let begun: Answer | undefined;
  let isStopped = false;
  const unwatch = deps.streams.open.enter({
    project,
    identifyAgain,
    progress: () => ({
      moved: socket.bytesRead + socket.bytesWritten,
      isWaitedFor: body.isWaiting || response.writableNeedDrain,
    }),
    end(why) {
      isStopped = why === 'stopped';
      response.destroy();
    },
  });
  /** Ended by its client, or because its key was refused. */
  const isClients = (failure: unknown): boolean => {
    if (failure !== undefined) return failure instanceof ApiError && failure.statusCode === 408;
    return !isStopped && (begun?.clientLeft ?? true);
  };
  return {
    upstream: meterUpstream(passage.upstream, meter),
    body: () => body.open(),
    stream: body,
    async settle(answer) {
      begun = answer as Answer;
      await begin(begun, meter, passage);
      await closed;
    },
    async end(failure) {
      unwatch();
      body.stop();
      // A client that ends the stream pays for what was worked on.
      if (isClients(failure)) await meter.record().catch(() => undefined);
      await meter.close();
      giveBack(admission.units - Math.max(meter.recorded, 1));
      headers.push(COST_HEADER, String(meter.recorded));
    },
  };
}

/** Sends the head of the answer, once the cost of the rows that have passed is on disk. */
async function begin(
  answer: Answer,
  meter: StreamMeter,
  { exchange: { request, headers }, status, admission }: Passage,
): Promise<void> {
  const { statusCode } = answer;
  const isRefused = statusCode >= 400;
  const isKnown = isRefused || meter.isComplete;
  try {
    // A refused stream costs what any answer does.
    if (counts(statusCode)) await (isRefused ? meter.recordRefusal(statusCode) : meter.record());
  } catch (error) {
    answer.discard(new Error('it could not be counted'));
    throw notRecorded(error);
  }
  // Until it is known, a stream may cost all that is reserved for it.
  status.note(admission, isKnown ? meter.recorded : admission.units);
  const own = [...headers, ...status.rawHeaders()];
  if (isKnown) {
    own.push(COST_HEADER, String(meter.recorded));
  } else if (answer.isChunked && request.httpVersionMinor > 0) {
    own.push('trailer', COST_HEADER);
    answer.trailers = () => ({ [COST_HEADER]: String(meter.recorded) });
  }
  // Nothing is kept of a stream, so it has no tag.
  answer.send(own, () => undefined);
}

function isCsv({ headers }: IncomingMessage): boolean {
  return /^text\/csv\s*(;|$)/i.test(headers['content-type'] ?? '');
}
