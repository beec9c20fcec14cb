/** A value over time. */
export interface Line {
  readonly label: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const WIDTH = 960;
const LABELS = 230;
const ROW = 34;
const TOP = 40;

/** An SVG of small charts, one below the other, each from 0 to its own maximum. */
export function lines(all: readonly Line[], caption: string): string {
  const last = Math.max(...all.flatMap(({ points }) => points.map(([x]) => x)), 1);
  const rows = all.map(({ label, points }, i) => {
    const most = Math.max(...points.map(([, y]) => y), 1);
    const bottom = TOP + (i + 1) * ROW - 6;
    const path = points.map(([x, y]) => {
      const right = LABELS + (x / last) * (WIDTH - LABELS - 90);
      return `${right.toFixed(1)},${(bottom - (y / most) * (ROW - 10)).toFixed(1)}`;
    });
    return [
      `<text x="${LABELS - 10}" y="${bottom - 6}" text-anchor="end">${label}</text>`,
      `<polyline points="${path.join(' ')}" fill="none" stroke="#3d6b56" stroke-width="1.5"/>`,
      `<text x="${WIDTH - 80}" y="${bottom - 6}">most ${most.toLocaleString('en')}</text>`,
    ].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${TOP + all.length * ROW + 10}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="10" y="20">${caption}</text>`,
    ...rows,
    '</svg>\n',
  ].join('\n');
}
