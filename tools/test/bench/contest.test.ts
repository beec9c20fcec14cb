import { describe, expect, jest, test } from '@jest/globals';
import { contest, type Contestant } from '@hindsight/tools/bench/contest.ts';
import { plot } from '@hindsight/tools/bench/plot.ts';
import { Results } from '@hindsight/tools/bench/results.ts';

const contestant = (name: string, rates: number[], calls: string[]): Contestant => ({
  name,
  run: async (operations) => {
    calls.push(`${name} ${operations}`);
    return { perSecond: rates.shift() ?? 0, p50: 1, p99: 2 };
  },
});

describe('a contest', () => {
  test('warms up, takes turns, and reports medians with their spread', async () => {
    const calls: string[] = [];
    const print = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    const contestants = [
      contestant('base', [1, 100, 300, 200], calls),
      contestant('ours', [1, 500, 400, 900], calls),
    ];
    const results = new Results({ anyway: true });
    const [base, ours] = await contest({ title: 'a | b', contestants, operations: 8, rounds: 3 }, results);
    const printed = print.mock.calls.join('\n');
    print.mockRestore();
    const round = ['base 8', 'ours 8'];
    expect(calls).toEqual(['base 2', 'ours 2', ...round, ...round, ...round]);
    expect(base?.rate).toEqual({ median: 200, low: 100, high: 300 });
    expect(ours?.rate).toEqual({ median: 500, low: 400, high: 900 });
    expect(printed).toMatch(/ours.*500\/s.*400 … 900.*2\.0 ms.*2\.50/);
  });
});

describe('the plot', () => {
  test('has a bar for each ratio and escapes its text', () => {
    const svg = plot([{ label: 'a <b> & c', value: 1.5, low: 1.2, high: 1.8 }], 'a machine');
    expect(svg).toContain('a &lt;b&gt; &amp; c');
    expect(svg).toContain('>1.50</text>');
    expect(svg.match(/<rect /g)).toHaveLength(2);
  });
});
