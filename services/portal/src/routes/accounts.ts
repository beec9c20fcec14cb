import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { addAccount } from './account.ts';
import type { AccountWeb } from './account-web.ts';
import { addProviders } from './providers.ts';
import { addRecovery, addSignIn } from './sign-in.ts';
import { addSignUp } from './sign-up.ts';
import { addWallets } from './wallets.ts';

/** Everything by which people come in, and what they do to their accounts. */
export function addAccounts(app: HttpServer, web: AccountWeb): void {
  addSignUp(app, web);
  addSignIn(app, web);
  addRecovery(app, web);
  addProviders(app, web);
  addWallets(app, web);
  addAccount(app, web);
}
