/** An order in words: its offer, what it asks for, and its state. */
import type { ShownNetwork } from '../../domain/shown-networks.ts';
import type { OrderAmount, ShownOrder } from '../../order-answers.ts';
import { html, type Html } from '../html.ts';
import { count } from './format.ts';

const COIN = `0x${'0'.repeat(40)}`;

export const STATUS_WORDS = {
  open: 'Open',
  filled: 'Filled',
  cancelled: 'Cancelled',
  expired: 'Expired',
} as const;

const CAUSES = {
  invalidated: 'its swapper invalidated it',
  sibling: 'another order with its nonce was filled',
  'nonce-used-elsewhere': 'its nonce was used by another application',
} as const;

/** Shortens an address or a hash; the whole of it is in the title, and on the order's page. */
export function short(hex: string): Html {
  return html`<code title="${hex}">${hex.slice(0, 6)}…${hex.slice(-4)}</code>`;
}

/** An amount with its token. The network's own coin is in whole coins, a token in its smallest unit. */
export function amountLine(amount: OrderAmount, { native }: ShownNetwork, token = short): Html {
  const isCoin = amount.token === COIN;
  const units = (text: string): string => (isCoin ? wholeCoins(text, native.decimals) : text);
  return html`<span class="figure">${amountText(amount, units)}</span>
    ${isCoin ? native.symbol : token(amount.token)}`;
}

/** `1000`, `1000 to 900`, and for an auction by blocks its bound: `1000, at least 900`. */
function amountText(amount: OrderAmount, units: (text: string) => string): string {
  const { amount: fixed, startAmount: start = fixed, endAmount: end = start, maxAmount, minAmount } = amount;
  if (start === undefined || end === undefined) return 'unknown';
  const auction = start === end ? units(start) : `${units(start)} to ${units(end)}`;
  if (maxAmount !== undefined && maxAmount !== start) return `${auction}, at most ${units(maxAmount)}`;
  if (minAmount !== undefined && minAmount !== start) return `${auction}, at least ${units(minAmount)}`;
  return auction;
}

function wholeCoins(text: string, decimals: number): string {
  const digits = text.padStart(decimals + 1, '0');
  const significant = [...digits.slice(-decimals)].findLastIndex((digit) => digit !== '0') + 1;
  const whole = digits.slice(0, -decimals);
  return significant === 0 ? whole : `${whole}.${digits.slice(-decimals).slice(0, significant)}`;
}

export function stateLine({ order, state }: ShownOrder, now: number): Html {
  const words = STATUS_WORDS[state.status];
  const isLate = state.status === 'open' && order.deadline * 1000 < now;
  const detail = detailOf(state) ?? (isLate ? 'past its deadline; how it ended is not known yet' : null);
  return html`<strong>${words}</strong>${detail !== null && html`<span class="meta">: ${detail}</span>`}${
      state.finalized === false && html`<span class="meta">; not final yet</span>`
    }`;
}

function detailOf({
  status,
  block,
  filler,
  cause,
  fill,
  takenBack,
}: ShownOrder['state']): Html | string | null {
  if (fill !== undefined)
    return html`filled by ${short(fill.filler)} in block ${count(fill.block)}, which is not final yet`;
  if (takenBack !== undefined)
    return html`its fill in block ${count(takenBack.block)} was taken back by a reorganisation`;
  if (status === 'filled' && filler !== undefined && block !== undefined)
    return html`by ${short(filler)} in block ${count(block)}`;
  if (status === 'cancelled' && cause !== undefined) return CAUSES[cause];
  if (status === 'expired' && block !== undefined)
    return html`unfilled at block ${count(block)}, later than its deadline`;
  return null;
}
