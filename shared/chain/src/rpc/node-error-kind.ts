/**
 * Failures at an Ethereum node, in the few kinds that call for different answers:
 * - `unreachable`: no connection, or it broke off
 * - `timeout`: no whole answer in time, or the node itself aborted the call
 * - `busy`: the node demands a pause (429, 503, a provider's rate limit), or too much waits for it already
 * - `malformed`: the answer is no JSON-RPC, does not fit the question, is too large, or is another chain's
 * - `missing-state`: the node has pruned the state (or body) of that block, or has never had it
 * - `unknown-block`: the node does not know that block (yet, or any more)
 * - `reverted`: the call ran and failed: an answer about the contract, not a fault of the node
 * - `refused`: any other error that the node answered
 */
export type NodeErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'busy'
  | 'malformed'
  | 'missing-state'
  | 'unknown-block'
  | 'reverted'
  | 'refused';
