import { describe, expect, it } from 'vitest';
import { parse, sensor } from '../config.fixture.ts';

const notifications = [{ type: 'webhook', value: 'https://example.com/', seconds_between_notifications: 1 }];

describe('triggers in the check of a configuration', () => {
  it('have their problems at their place, and keep nothing from running', () => {
    const document = {
      components: [sensor()],
      triggers: [{ name: 't', event: { type: 'part_oflfine' }, notifications }],
    };
    const { problems, config } = parse(document);
    expect(problems).toMatchObject([
      {
        severity: 'error',
        code: 'trigger.not_allowed',
        pointer: '/triggers/0/event/type',
        nearest: 'part_offline',
        found: '"part_oflfine"',
      },
    ]);
    expect(problems[0]?.line).toBeGreaterThan(0);
    expect(config?.resources).toHaveLength(1);
  });

  it('have patterns of RE2', () => {
    const evals = [{ operator: 'regex', value: { state: '(?=x)' } }];
    const event = {
      type: 'conditional_data_ingested',
      conditional: { data_capture_method: 'sensor:heat:Readings', conditions: { evals } },
    };
    const { problems } = parse({ components: [sensor()], triggers: [{ name: 't', event, notifications }] });
    expect(problems.map(({ code }) => code)).toContain('trigger.bad_pattern');
  });

  it('that are no list keep nothing from running either', () => {
    const { problems, config } = parse({ triggers: {} });
    expect(problems.map(({ code }) => code)).toEqual(['trigger.wrong_type']);
    expect(config).toBeDefined();
  });
});
