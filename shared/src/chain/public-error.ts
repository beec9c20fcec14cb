import type { ApiError } from '../errors.ts';
import { badGateway, gatewayTimeout, notFound, unavailable } from '../errors.ts';
import { AboveHead } from './block.ts';
import { NodeError } from './node-error.ts';

/** Seconds after which a caller may try again when no node is to be had. */
const RETRY_AFTER_SECONDS = 2;

/**
 * What an API caller is told when the chain could not be read; the node's own words stay in `cause`.
 * Errors of other kinds are passed through.
 */
export function toPublicError(error: unknown): unknown {
  if (error instanceof AboveHead) {
    return notFound(
      `block_height: block ${error.asked} does not exist yet; the latest block is ${error.head}`,
    );
  }
  return error instanceof NodeError ? nodeErrorToPublic(error) : error;
}

function nodeErrorToPublic(error: NodeError): ApiError {
  switch (error.kind) {
    case 'timeout':
      return gatewayTimeout('The Ethereum node did not answer in time.', error);
    case 'unreachable':
    case 'busy': {
      const seconds = Math.ceil((error.details.retryAfterMs ?? RETRY_AFTER_SECONDS * 1000) / 1000);
      return unavailable(
        'No Ethereum node can be reached at the moment.',
        Math.min(Math.max(seconds, 1), 60),
        error,
      );
    }
    case 'missing-state':
      return badGateway('The Ethereum node has no state for this block: an archive node is needed.', error);
    case 'unknown-block':
      return badGateway('The Ethereum node does not know this block.', error);
    case 'malformed':
    case 'reverted':
    case 'refused':
      return badGateway('The Ethereum node could not answer this question.', error);
  }
}
