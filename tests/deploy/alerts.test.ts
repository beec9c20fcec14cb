/** Alerts and dashboards name metrics that exist, and every alert has its section in the runbook. */
import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: { readonly summary?: string };
}

const { groups } = parse(read('deploy/prometheus/rules/hindsight.yml')) as {
  groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter((rule) => rule.alert !== undefined);
const recorded = rules.flatMap(({ record }) => record ?? []);

/** Names in the code, as Prometheus sees them: dots are underscores. */
const code = ['shared', 'services'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /src\/.*\.ts$/.test(path) && !path.includes('node_modules'))
    .map((path) => read(join(folder, path))),
);
const known = new Set(
  code.flatMap((text) =>
    [...text.matchAll(/'([a-z0-9]+(?:[._][a-z0-9]+)+)'/g)].map(([, name]) => name!.replaceAll('.', '_')),
  ),
);

/** Those that are put together: what is before `${…}`. */
const beginnings = code.flatMap((text) =>
  [...text.matchAll(/`([a-z0-9._]+[._])\$\{\w+\}`/g)].map(([, start]) => start!.replaceAll('.', '_')),
);
const isPutTogether = (name: string): boolean =>
  beginnings.some(
    (start) => name.startsWith(start) && code.some((text) => text.includes(`'${name.slice(start.length)}'`)),
  );

const metricsOf = (expr: string): string[] =>
  [
    ...expr
      .replaceAll(/"[^"]*"/g, '')
      .matchAll(/\b(?:up\b|hindsight|http|orders|process|v8js|nodejs)[a-z0-9_:]*/g),
  ].map(([name]) => name);
const exists = (metric: string): boolean =>
  recorded.includes(metric) ||
  ['', '_total', '_count', '_bucket'].some((ending) => {
    const base = metric.endsWith(ending) ? metric.slice(0, metric.length - ending.length) : metric;
    return base === 'up' || known.has(base) || isPutTogether(base);
  });
/** Labels, not metrics. */
const LABELS = new Set(['http_response_status_code', 'http_route']);

const dashboards = readdirSync(join(ROOT, 'deploy/grafana/dashboards'));
const panels = dashboards.flatMap((file) => {
  const { panels: all } = JSON.parse(read(`deploy/grafana/dashboards/${file}`)) as {
    panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
  };
  return all.flatMap(({ title, targets }) => targets.map(({ expr }) => [`${file}: ${title}`, expr] as const));
});

describe('alerts', () => {
  test.each(alerts.map((rule) => [rule.alert!, rule] as const))('%s is complete', (name, rule) => {
    expect(read('docs/operations/alerts.md')).toMatch(new RegExp(`^## ${name}$`, 'm'));
    expect(rule.labels?.severity).toMatch(/^(page|ticket)$/);
    expect(rule.annotations?.summary).toBeTruthy();
  });

  test('the runbook has no section of an alert that there is not', () => {
    const sections = [...read('docs/operations/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(sections.toSorted()).toEqual(alerts.map(({ alert }) => alert!).toSorted());
  });
});

test.each([...rules.map((rule) => [rule.alert ?? rule.record!, rule.expr] as const), ...panels])(
  '%s asks for metrics that exist',
  (_, expr) => {
    const metrics = metricsOf(expr).filter((name) => !LABELS.has(name));
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => !exists(name))).toEqual([]);
  },
);
