/** Alerts, dashboards and autoscaling name metrics that exist; every alert has its section in the runbook, and works. */
import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execFileSync } from 'node:child_process';
import { installedFolder, isInstalled } from '@hindsight/tools/servers/install.ts';
import { probesOf } from '@hindsight/tools/servers/probes.ts';
import type { RecipeName } from '@hindsight/tools/servers/recipes.ts';
import { describeUnless } from '@hindsight/tools/servers/suite.ts';
import { parse, parseAllDocuments } from 'yaml';

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

/** Those that are put together: what is before `${…}`, or the prefix that a reporter is given. */
const beginnings = code.flatMap((text) => [
  ...[...text.matchAll(/`([a-z0-9._]+[._])\$\{\w+\}`/g)].map(([, start]) => start!.replaceAll('.', '_')),
  ...[...text.matchAll(/\bprefix: '([a-z0-9_]+)'/g)].map(([, prefix]) => `${prefix}_`),
]);
const isPutTogether = (name: string): boolean =>
  beginnings.some(
    (start) => name.startsWith(start) && code.some((text) => text.includes(`'${name.slice(start.length)}'`)),
  );

const metricsOf = (expr: string): string[] =>
  [
    ...expr
      .replaceAll(/"[^"]*"/g, '')
      .matchAll(/\b(?:up\b|hindsight|http|rpc|messaging|db|orders|process|v8js|nodejs)[a-z0-9_:]*/g),
  ].map(([name]) => name);
const exists = (metric: string): boolean =>
  recorded.includes(metric) ||
  ['', '_total', '_count', '_bucket'].some((ending) => {
    const base = metric.endsWith(ending) ? metric.slice(0, metric.length - ending.length) : metric;
    return base === 'up' || known.has(base) || isPutTogether(base);
  });
/** Labels, not metrics. */
const LABELS = new Set([
  'http_response_status_code',
  'http_route',
  'messaging_consumer_group_name',
  'messaging_destination_name',
  'db_system_name',
  'hindsight_network',
]);

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

describe('autoscaling', () => {
  interface Query {
    readonly seriesQuery: string;
    readonly name: { readonly as: string };
  }
  interface Autoscaler {
    readonly spec: {
      readonly metrics: readonly Partial<
        Record<'pods' | 'external', { readonly metric: { readonly name: string } }>
      >[];
    };
  }
  const adapter = parse(read('deploy/prometheus/adapter.yml')) as Record<
    'rules' | 'externalRules',
    readonly Query[]
  >;
  const asked = parseAllDocuments(read('deploy/kubernetes/overlays/large/autoscaling.yaml')).flatMap(
    (document) => (document.toJS() as Autoscaler).spec.metrics,
  );
  const names = (queries: readonly Query[]): string[] => queries.map(({ name }) => name.as);

  test('asks the adapter for metrics that it serves, and for each of them', () => {
    const of = (kind: 'pods' | 'external') =>
      new Set(asked.flatMap((metric) => metric[kind]?.metric.name ?? []));
    expect([...of('pods')]).toEqual(names(adapter.rules));
    expect([...of('external')]).toEqual(names(adapter.externalRules));
  });

  test.each([...adapter.rules, ...adapter.externalRules])('asks Prometheus for $seriesQuery', (query) => {
    expect(metricsOf(query.seriesQuery).filter((name) => !exists(name))).toEqual([]);
    expect(metricsOf(query.seriesQuery)).toEqual([query.name.as]);
  });
});

describe('dashboards', () => {
  test.each(dashboards)('%s has an id for each panel, none above another, and one source of data', (file) => {
    const { panels: all, uid } = JSON.parse(read(`deploy/grafana/dashboards/${file}`)) as {
      uid: string;
      panels: readonly {
        readonly id: number;
        readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
        readonly datasource: { readonly uid: string };
      }[];
    };
    const source = parse(read('deploy/grafana/provisioning/datasources/prometheus.yml')) as {
      datasources: readonly { readonly uid: string }[];
    };
    expect(uid).toBe(`hindsight-${file.replace('.json', '')}`);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(all.map(({ gridPos: { x, y } }) => `${x},${y}`)).size).toBe(all.length);
    for (const { gridPos, datasource } of all) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      expect(source.datasources.map((one) => one.uid)).toContain(datasource.uid);
    }
  });
});

/**
 * Cases that run a program of the path, or one that `npm run servers -- install NAME` builds; where neither is, they are
 * skipped by name.
 */
async function describeInstalled(
  name: RecipeName,
  body: (run: (...args: string[]) => string) => void,
): Promise<void> {
  const onPath = await probesOf(process.env).has(name);
  const program = onPath ? name : join(await installedFolder(name), name);
  const absent =
    onPath || (await isInstalled(name))
      ? []
      : [`${name} is not installed: npm run servers -- install ${name}`];
  describeUnless(name, { absent, faults: [] }, undefined, () =>
    body((...args) => execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })),
  );
}

await describeInstalled('promtool', (promtool) => {
  test('finds no fault in the rules', () => {
    expect(promtool('check', 'rules', '--lint=all', 'deploy/prometheus/rules/hindsight.yml')).toContain(
      'SUCCESS',
    );
  });

  test('finds no fault in the configuration', () => {
    expect(promtool('check', 'config', 'deploy/prometheus/prometheus.yml')).toContain('SUCCESS');
  });

  test('sees each alert fire when it should, and not before', () => {
    expect(promtool('test', 'rules', 'deploy/prometheus/rules.test.yml')).toContain('SUCCESS');
  });
});

test('each alert has a test of its own', () => {
  const tested = [...read('deploy/prometheus/rules.test.yml').matchAll(/alertname: (\w+)\n\s+exp_alerts:/g)];
  expect(tested.map(([, name]) => name).sort()).toEqual(alerts.map(({ alert }) => alert!).sort());
});

await describeInstalled('otelcol', (otelcol) => {
  test('finds no fault in the configuration of the collector', () => {
    expect(() => otelcol('validate', '--config', 'deploy/otel/collector.yaml')).not.toThrow();
  });
});
