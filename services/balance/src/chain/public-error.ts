import {
  ApiError,
  badGateway,
  badRequest,
  gatewayTimeout,
  notFound,
  unavailable,
} from '@hindsight/kernel/errors.ts';
import { AboveHead, BeforeFirstBlock, NotCanonical } from '@hindsight/chain/state/block.ts';
import { NoBlockAtDate } from '@hindsight/chain/dates/date-search.ts';
import { UnusableName } from '@hindsight/chain/ens/name.ts';
import { NoNames } from '@hindsight/chain/ens/name-resolver.ts';
import { GatewayError, OffchainName } from '@hindsight/chain/ens/ccip/offchain.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';

const NAMED_BY = { height: 'block_height', date: 'date', hash: 'block_hash' } as const;

/**
 * The error that an API caller gets when the chain could not be read; the node's own words stay in `cause`.
 * @param field the parameter that a name was given in
 * @throws errors that are not about the chain, as they are
 */
export function toPublicError(error: unknown, field = 'name'): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof NotCanonical) return notFound('block_not_canonical', `block_hash: ${error.message}`);
  if (error instanceof NodeError) return nodeErrorToPublic(error);
  return noSuchBlock(error) ?? nameErrorToPublic(error, field);
}

/**
 * The error of a block that is not there: 404, or 400 before the first block that is answered; undefined for any other.
 * @param field the parameter that it was given in; the one of its kind where there is no other
 */
export function noSuchBlock(error: unknown, field?: string): ApiError | undefined {
  if (error instanceof AboveHead) {
    const { asked, head } = error;
    const message = `block ${asked} does not exist yet; the latest block is ${head}`;
    return notFound('block_above_head', `${field ?? NAMED_BY.height}: ${message}`);
  }
  if (error instanceof BeforeFirstBlock)
    return badRequest(`${field ?? NAMED_BY[error.by]}: ${error.message}`);
  if (error instanceof NoBlockAtDate)
    return notFound('no_block_at_date', `${field ?? NAMED_BY.date}: ${error.message}`);
  return undefined;
}

/** Waits for a reading of the chain; what goes wrong is an error that an API caller may get. */
export async function publicly<T>(reading: Promise<T>, field?: string): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw toPublicError(error, field);
  }
}

function nameErrorToPublic(error: unknown, field: string): ApiError {
  if (error instanceof UnusableName) return badRequest(`${field}: ${error.message}`, 'invalid_name');
  if (error instanceof NoNames) return new ApiError('no_names', `${field}: ${error.message}`);
  if (error instanceof OffchainName) {
    const message = `${field}: this name is kept off-chain (CCIP-read), at a gateway that this server does not ask`;
    return new ApiError('name_off_chain', message, { cause: error });
  }
  if (!(error instanceof GatewayError)) throw error;
  if (error.kind === 'timeout')
    return gatewayTimeout(
      'name_gateway_timeout',
      `${field}: the name's gateway did not answer in time.`,
      error,
    );
  return badGateway('name_gateway_failed', `${field}: the name's gateway gave no usable answer.`, error);
}

function nodeErrorToPublic(error: NodeError): ApiError {
  switch (error.kind) {
    case 'timeout':
      return gatewayTimeout('node_timeout', 'The Ethereum node did not answer in time.', error);
    case 'unreachable':
    case 'busy': {
      const { retryAfterMs: ms } = error.details;
      const seconds = ms === undefined ? ms : Math.min(Math.max(Math.ceil(ms / 1000), 1), 60);
      const message = 'No Ethereum node can be reached at the moment.';
      return unavailable('node_unavailable', message, { cause: error, seconds });
    }
    case 'missing-state':
      return badGateway(
        'state_unavailable',
        'The Ethereum node has no state for this block: an archive node is needed.',
        error,
      );
    case 'unknown-block':
      return badGateway(
        'block_unavailable',
        'The Ethereum node does not have this block. Blocks before first_block of GET /v1/networks are not answered; ' +
          'a new block may be a moment away.',
        error,
      );
    case 'malformed':
    case 'reverted':
    case 'refused':
      return badGateway('node_failed', 'The Ethereum node could not answer this question.', error);
  }
}
