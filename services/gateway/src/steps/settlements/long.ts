import type { Passage, Settlement } from './settlement.ts';
import { settleWhole } from './whole.ts';

/** Settles a long answer when it begins, and watches it until its reader has taken it, or takes it too slowly. */
export function settleLong(passage: Passage): Settlement {
  const { deps, authorized, exchange } = passage;
  const { project, identifyAgain } = authorized;
  const { request, response } = exchange;
  const { socket } = request;
  const whole = settleWhole(passage);
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  const unwatch = deps.lists.open.enter({
    project,
    identifyAgain,
    progress: () => ({
      moved: socket.bytesRead + socket.bytesWritten,
      isWaitedFor: response.writableNeedDrain,
    }),
    end: () => void response.destroy(),
  });
  return {
    ...whole,
    async settle(answer) {
      await whole.settle(answer);
      await closed;
    },
    end(failure) {
      unwatch();
      return whole.end(failure);
    },
  };
}
