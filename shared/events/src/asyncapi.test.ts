import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { asyncApiOf } from './asyncapi.ts';
import { TOPICS } from './topics.ts';

describe('docs/asyncapi.yaml', () => {
  const written = parse(
    readFileSync(new URL('../../../docs/asyncapi.yaml', import.meta.url), 'utf8'),
  ) as unknown;

  it('is what the registry of topics says (npm run build:asyncapi -w shared/events writes it)', () => {
    expect(written).toEqual(JSON.parse(JSON.stringify(asyncApiOf(TOPICS))));
  });

  it('names every topic, its dead letters and every event', () => {
    const { channels, components } = asyncApiOf(TOPICS) as {
      channels: Record<string, unknown>;
      components: { schemas: Record<string, unknown> };
    };
    for (const { name, events } of Object.values(TOPICS)) {
      expect(Object.keys(channels)).toEqual(expect.arrayContaining([name, `${name}.dead-letter`]));
      for (const type of Object.keys(events))
        expect(components.schemas).toHaveProperty([`${name}.${type}`, 'type'], 'object');
    }
  });
});
