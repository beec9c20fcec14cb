/** The public exports of the package. */
export { createMcpServer } from './server.ts';
export { answerOverHttp, refuseCall } from './http.ts';
export { serveStdio } from './stdio.ts';
export type { Api } from './tool.ts';
