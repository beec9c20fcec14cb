import { describe, expect, test } from '@jest/globals';
import { mergeMetrics } from './merge-metrics.ts';

const help = '# HELP requests_total Requests.\n# TYPE requests_total counter\n';

describe('metrics of several processes', () => {
  test('families are kept together, described once, and their samples labelled by process', () => {
    const merged = mergeMetrics([
      { worker: '1', text: `${help}requests_total{route="a b"} 2 17\n# TYPE memory gauge\nmemory 5\n` },
      { worker: '2', text: `${help}requests_total{route="a b"} 3 18\n# TYPE memory gauge\nmemory 6\n` },
    ]);
    expect(merged).toBe(
      help +
        'requests_total{route="a b",worker="1"} 2 17\n' +
        'requests_total{route="a b",worker="2"} 3 18\n' +
        '# TYPE memory gauge\nmemory{worker="1"} 5\nmemory{worker="2"} 6\n',
    );
  });

  test('a label may contain braces', () => {
    expect(mergeMetrics([{ worker: '1', text: 'a{b="}{"} 1\n' }])).toBe('a{b="}{",worker="1"} 1\n');
  });

  test('a process without an answer is left out', () => {
    expect(mergeMetrics([{ worker: '1', text: '' }])).toBe('');
  });
});
