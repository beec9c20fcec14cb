/** The question as the form, the address bar and the rest of the page know it. */

/** Tokens that are known by their symbols. */
const TOKENS = {
  WETH: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  UNI: '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984',
  stETH: '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84',
};

/** A token as a user writes it: an address, a well-known symbol, or ETH for ether (empty). */
export function tokenOf(text) {
  const written = text.trim();
  if (/^(eth|ether)?$/i.test(written)) return '';
  const known = Object.entries(TOKENS).find(([symbol]) => symbol.toLowerCase() === written.toLowerCase());
  return known ? known[1] : written;
}

/** A token as the field shows it. */
export function tokenText(token) {
  if (token === '') return 'ETH';
  const known = Object.entries(TOKENS).find(([, address]) => address.toLowerCase() === token.toLowerCase());
  return known ? known[0] : token;
}

/** Reads the address bar; missing and invalid parts come from `standard`. */
export function questionOf(search, standard) {
  const query = new URLSearchParams(search);
  const height = (name) => (/^\d{1,12}$/.test(query.get(name) ?? '') ? Number(query.get(name)) : undefined);
  if (!query.has('holder')) return { ...standard, block: height('block') ?? standard.block };
  return {
    token: tokenOf((query.get('token') ?? '').slice(0, 100)),
    holder: (query.get('holder') ?? '').trim().slice(0, 260),
    from: height('from') ?? standard.from,
    to: height('to'),
    block: height('block'),
  };
}

/** The reverse: the query for the address bar, so that the picture can be shared. */
export function searchOf({ token, holder, from, to, block }) {
  const query = new URLSearchParams({ token: tokenText(token), holder, from: String(from) });
  if (to !== undefined) query.set('to', String(to));
  if (block !== undefined) query.set('block', String(block));
  return `?${query}`;
}
