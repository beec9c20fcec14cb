import type { Account, Offered, Provider } from '../../domain/account.ts';
import { html, type Html } from '../html.ts';

/** Shown where no email can be sent. */
export const NO_EMAIL = 'Email isn’t set up on this server. Please sign in another way.';

/** The ways to sign in that are configured, besides wallets. */
export interface WaysIn extends Offered {
  /** Emails can be sent: sign-up and password reset need them. */
  readonly email: boolean;
}

/**
 * Ways to sign in besides email and password. GitHub and Google are links: GET /sign-in/github?next=…
 * The wallet, in the browser (EIP-1193) and asked to sign a message (EIP-4361), is public/wallet.js: POST /sign-in/wallet/message {address} → {message},
 * then POST /sign-in/wallet {message, signature, next} → {next}.
 * @param confirms the account whose owner confirms who they are: no other ways than its own are offered
 */
export function waysIn(ways: WaysIn, next: string, confirms?: Pick<Account, 'id' | 'identities'>): Html {
  const { id: account, identities } = confirms ?? {};
  const query = `?next=${encodeURIComponent(next)}${account ? `&account=${account}` : ''}`;
  const isOwn = (name: Provider) => identities?.some(({ provider }) => provider === name) ?? true;
  const offered = [
    ways.github && isOwn('github') && html`<a class="button wide" href="/sign-in/github${query}">GitHub</a>`,
    ways.google && isOwn('google') && html`<a class="button wide" href="/sign-in/google${query}">Google</a>`,
    isOwn('wallet') && walletButton({ account, text: 'Ethereum wallet', next }),
  ].filter((way) => way !== false);
  if (offered.length === 0) return html``;
  return html`<div class="ways" role="group" aria-label="Other ways to sign in">
    <p class="or"><span>${ways.email ? 'or continue with' : 'Continue with'}</span></p>
    ${offered}
  </div>`;
}

interface WalletButton {
  /** The wallet is linked; else it signs in. */
  readonly links?: boolean;
  /** The account that it is linked to, or whose owner confirms who they are; none to sign in to any. */
  readonly account?: string | undefined;
  readonly text: string;
  readonly next: string;
}

/** A button that asks the browser's wallet for a signature; if there is no wallet, it says so. */
export function walletButton({ links, account = '', text, next }: WalletButton): Html {
  const path = links ? '/account/link/wallet' : '/sign-in/wallet';
  return html`<div class="wallet">
    <button
      type="button"
      class="wide"
      data-wallet
      data-message-url="${path}/message"
      data-verify-url="${path}"
      data-next="${next}"
      data-account="${account}"
      aria-describedby="wallet-status"
    >
      ${text}
    </button>
    <p id="wallet-status" class="hint" role="status" data-wallet-status></p>
    <noscript
      ><p class="hint">Wallets need JavaScript. All other ways to sign in work without it.</p></noscript
    >
  </div>`;
}
