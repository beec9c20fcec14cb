/**
 * Some nodes process a request's calls one by one, with one deadline for all: the bytes of two of the largest
 * calls' answers.
 */
export const ANSWERED_PER_REQUEST = 188_800;
/** Many nodes and gateways refuse larger batches. */
export const CALLS_PER_REQUEST = 100;
