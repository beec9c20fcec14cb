import { html, type Html } from '../html.ts';

/** A wallet's WETH on the development chain (devchain/README.md), in hundredths, from the block named with it. */
const STEPS: readonly (readonly [block: number, hundredths: number])[] = [
  [17_999_850, 0],
  [17_999_872, 360],
  [17_999_900, 720],
  [17_999_908, 1474],
  [17_999_913, 1371],
  [17_999_927, 2643],
  [17_999_947, 5131],
  [17_999_972, 5683],
  [18_000_035, 4149],
  [18_000_042, 3319],
  [18_000_063, 3253],
];
const FROM = 17_999_850;
const TO = 18_000_150;
const THEN = 18_000_000;
const WIDTH = 900;
const HEIGHT = 300;
const TOP = 6200;

const x = (block: number) => Math.round(((block - FROM) / (TO - FROM)) * WIDTH);
const y = (hundredths: number) => Math.round(HEIGHT - (hundredths / TOP) * HEIGHT);

/** The figure of the landing page: a balance that steps, and the queried block. */
export function stepsFigure(): Html {
  const path = STEPS.map(([block, value], i) =>
    i === 0 ? `M0 ${y(value)}` : `H${x(block)}V${y(value)}`,
  ).join('');
  return html`<figure class="steps">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT + 34}" role="img" aria-labelledby="steps-caption">
      ${[1000, 2000, 3000, 4000, 5000].map(
        (mark) => html`<path class="steps-rule" d="M0 ${y(mark)}H${WIDTH}" />`,
      )}
      ${Array.from({ length: 31 }, (_, i) => {
        const at = i * (WIDTH / 30);
        return html`<path class="steps-tick" d="M${at} ${HEIGHT}v${i % 5 === 0 ? 9 : 5}" />`;
      })}
      ${[20, 40].map(
        (mark) =>
          html`<text class="steps-mark" x="0" y="${y(mark * 100) - 5}"
            >${mark}${mark === 40 && ' WETH'}</text
          >`,
      )}
      <path class="steps-base" d="M0 ${HEIGHT}H${WIDTH}" />
      <path class="steps-area" d="${path}H${WIDTH}V${HEIGHT}H0Z" />
      <path class="steps-line" d="${path}H${WIDTH}" />
      <path class="steps-then" d="M${x(THEN)} 0V${HEIGHT + 12}" />
      <circle class="steps-point" cx="${x(THEN)}" cy="${y(5683)}" r="5" />
      <text class="steps-label" x="${x(THEN)}" y="${HEIGHT + 30}" text-anchor="middle">18,000,000</text>
      <text class="steps-value" x="${x(THEN) + 14}" y="${y(5683) - 9}">56.834711999999997606 WETH</text>
    </svg>
    <figcaption id="steps-caption">
      One wallet’s WETH over 300 blocks of the development chain, and its balance at block 18,000,000.
    </figcaption>
  </figure>`;
}
