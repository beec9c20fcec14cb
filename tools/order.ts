/** `npm run --silent order`: prints the webhook's body for a signed order, another one each time, to try an installation with. */
import { makeOrder } from '../tests/support/orders/signed-orders.ts';

process.stdout.write(`${makeOrder(BigInt(Date.now())).body}\n`);
