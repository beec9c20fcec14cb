/** The question as the form, the address bar and the rest of the page know it. */

/** Tokens of mainnet that are known by their symbols. */
const TOKENS = {
  WETH: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  UNI: '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984',
  stETH: '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84',
};

/** @param settings {network, coin: {symbol}, several}; several: the address bar names the network */
export function createQuestions({ network, coin, several }) {
  const known = Object.entries(network === 'eth-mainnet' ? TOKENS : {});

  /** A token as a user writes it: an address, a well-known symbol, or the native coin's symbol (empty). */
  function tokenOf(text) {
    const written = text.trim().toLowerCase();
    if (['', 'native', coin.symbol.toLowerCase()].includes(written)) return '';
    if (coin.symbol === 'ETH' && written === 'ether') return '';
    return known.find(([symbol]) => symbol.toLowerCase() === written)?.[1] ?? text.trim();
  }

  /** A token as the field shows it. */
  function tokenText(token) {
    if (token === '') return coin.symbol;
    return known.find(([, address]) => address.toLowerCase() === token.toLowerCase())?.[0] ?? token;
  }

  /** Reads the address bar; missing and invalid parts come from `standard`. */
  function questionOf(search, standard) {
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
  function searchOf({ token, holder, from, to, block }) {
    const query = new URLSearchParams(several ? { network } : {});
    for (const [name, value] of Object.entries({ token: tokenText(token), holder, from, to, block }))
      if (value !== undefined) query.set(name, String(value));
    return `?${query}`;
  }

  return { tokenOf, tokenText, questionOf, searchOf };
}
