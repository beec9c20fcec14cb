/**
 * Of a test's HTTP server: its idle connections stay. A busy machine may hold the process up for longer than Node keeps them,
 * and one that ends under the next request looks like a fault of the server.
 */
export const LASTING = { keepAliveTimeout: 0 } as const;
