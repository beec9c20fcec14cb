import { canDoWithout, isOffered, loginOf, type Account, type Identity } from '../../domain/account.ts';
import { html, type Html } from '../html.ts';
import { formError, hidden, type FormErrors } from './form.ts';
import { moment } from './format.ts';
import { walletButton, type WaysIn } from './ways-in.ts';

const TITLES = { github: 'GitHub', google: 'Google', wallet: 'Ethereum wallet' };

/** Linking: GET /account/link/github|google?account=…, public/wallet.js for wallets; POST /account/unlink {id}. */
export function linkedSection(account: Account, ways: WaysIn, errors: FormErrors | undefined): Html {
  const linked = account.identities;
  const link = (provider: string, text: string): Html =>
    html`<a class="button" href="/account/link/${provider}?account=${account.id}">${text}</a>`;
  const has = (provider: string) => linked.some((one) => one.provider === provider);
  return html`<section aria-labelledby="linked-title">
    <h2 id="linked-title">Ways to sign in</h2>
    ${formError(errors)}
    ${
      linked.length === 0
        ? html`<p class="empty">No linked accounts. You sign in with email and password.</p>`
        : html`<ul class="lines">
            ${linked.map((identity) =>
              line(identity, {
                isOff: !isOffered(identity.provider, ways),
                removable: canDoWithout(account, identity, ways),
              }),
            )}
          </ul>`
    }
    <div class="actions">
      ${ways.github && !has('github') && link('github', 'Link GitHub')}
      ${ways.google && !has('google') && link('google', 'Link Google')}
      ${walletButton({ links: true, account: account.id, text: 'Link a wallet', next: '/account' })}
    </div>
  </section>`;
}

function line(
  identity: Identity,
  { isOff, removable }: { readonly isOff: boolean; readonly removable: boolean },
): Html {
  const { provider, label, linkedAt } = identity;
  return html`<li>
    <span
      ><strong>${TITLES[provider]}</strong> <span class="figure">${label}</span>, since
      ${moment(linkedAt)}${isOff && ', turned off on this server'}</span
    >
    ${
      removable &&
      html`<form method="post" action="/account/unlink">
        ${hidden('id', loginOf(identity))}
        <button type="submit" class="quiet" aria-label="Remove ${TITLES[provider]} ${label}">Remove</button>
      </form>`
    }
  </li>`;
}
