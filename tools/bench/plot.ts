/** A ratio with the range of its rounds. */
interface Bar {
  readonly label: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const WIDTH = 960;
const LABELS = 460;
const ROW = 26;
const TOP = 48;

/** An SVG of bars on a logarithmic scale, with a line at 1: the baseline. */
export function plot(bars: readonly Bar[], caption: string): string {
  const values = bars.flatMap(({ low, high }) => [low, high]).filter((value) => value > 0);
  const [least, most] = [Math.min(0.25, ...values), Math.max(2, ...values)].map(Math.log2) as [
    number,
    number,
  ];
  const x = (ratio: number): number =>
    LABELS + ((Math.log2(Math.max(ratio, 2 ** least)) - least) / (most - least)) * (WIDTH - LABELS - 70);
  const rows = bars.map(({ label, value, low, high }, i) => {
    const y = TOP + i * ROW;
    const [from, to] = [Math.min(x(1), x(value)), Math.max(x(1), x(value))];
    return [
      `<text x="${LABELS - 10}" y="${y + 14}" text-anchor="end">${escape(label)}</text>`,
      `<rect x="${at(from)}" y="${y + 3}" width="${at(to - from)}" height="14" fill="${value < 1 ? '#b5544a' : '#3d6b56'}"/>`,
      `<path d="M${at(x(low))} ${y + 10}H${at(x(high))}" stroke="#222" stroke-width="2"/>`,
      `<text x="${at(Math.max(x(high), to) + 6)}" y="${y + 14}">${value.toFixed(2)}</text>`,
    ].join('');
  });
  const height = TOP + bars.length * ROW + 16;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="10" y="20">How often as fast as its baseline (the line). ${escape(caption)}</text>`,
    ...rows,
    `<path d="M${at(x(1))} ${TOP - 8}V${height - 10}" stroke="#222"/>`,
    '</svg>\n',
  ].join('\n');
}

const at = (value: number): string => value.toFixed(1);

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
