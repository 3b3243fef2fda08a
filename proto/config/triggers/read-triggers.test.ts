import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../text/json-text.ts';
import { plainProblems } from '../schema/plain-problems.ts';
import { isOfType, parseCaptureMethod, shortType } from './capture-method.ts';
import type { CompilePattern } from './conditions.ts';
import { readTriggers } from './read-triggers.ts';
import { triggerSchema } from './trigger-schema.ts';

const compile: CompilePattern = (source) => {
  try {
    const pattern = new RegExp(source);
    return { kind: 'valid', pattern: { findFirst: (text) => pattern.exec(text)?.[0] } };
  } catch {
    return { kind: 'invalid', reason: 'it does not compile' };
  }
};

const webhook = { type: 'webhook', value: 'https://example.com/hook', seconds_between_notifications: 60 };
const email = { type: 'email', value: 'ann@example.com', seconds_between_notifications: 60 };
const online = { name: 't', event: { type: 'part_online' }, notifications: [webhook] };
const tank = {
  name: 'tank',
  api: 'rdk:component:sensor',
  model: 'fake',
  service_configs: [
    { type: 'data_manager', attributes: { capture_methods: [{ method: 'Readings', capture_frequency_hz: 1 }] } },
  ],
};

function conditional(conditions?: JsonValue, method = 'sensor:tank:Readings'): { [key: string]: JsonValue } {
  const inner = { data_capture_method: method, ...(conditions === undefined ? {} : { conditions }) };
  return { name: 't', event: { type: 'conditional_data_ingested', conditional: inner }, notifications: [webhook] };
}

const read = (...triggers: readonly JsonValue[]) =>
  readTriggers({ components: [tank], triggers: [...triggers] }, compile);
const brief = (...triggers: readonly JsonValue[]): string[] =>
  read(...triggers).problems.map(
    ({ severity, code, pointer }) => `${severity} ${code} ${pointer.slice('/triggers'.length)}`,
  );

describe('triggers', () => {
  it('are read with their four kinds of events', () => {
    const evals: JsonValue[] = [
      { operator: 'gt', value: { cpu: 50 } },
      { operator: 'regex', value: { state: '^on' } },
    ];
    const ingested = {
      name: 'pictures',
      event: { type: 'part_data_ingested', data_ingested: { data_types: ['binary', 'unspecified'] } },
      notifications: [webhook, email],
    };
    const { entries, problems } = read(
      online,
      { ...online, name: 'u', event: { type: 'part_offline' }, disabled: true, notes: 'later' },
      ingested,
      { ...conditional({ evals }), name: 'hot' },
    );
    expect(problems).toEqual([]);
    expect(entries.map(({ name, isDisabled, pointer }) => [name, isDisabled, pointer])).toEqual([
      ['t', false, '/triggers/0'],
      ['u', true, '/triggers/1'],
      ['pictures', false, '/triggers/2'],
      ['hot', false, '/triggers/3'],
    ]);
    expect(entries[2]?.trigger).toEqual({
      name: 'pictures',
      event: { type: 'part_data_ingested', dataTypes: ['binary', 'unspecified'] },
      notifications: [
        { type: 'webhook', value: 'https://example.com/hook', secondsBetween: 60 },
        { type: 'email', value: 'ann@example.com', secondsBetween: 60 },
      ],
    });
    expect(entries[3]?.trigger?.event).toMatchObject({
      type: 'conditional_data_ingested',
      method: { type: 'sensor', component: 'tank', method: 'Readings' },
      conditions: [
        { path: ['cpu'], operator: 'gt', expected: 50 },
        { path: ['state'], operator: 'regex', expected: '^on' },
      ],
      written: { evals },
    });
  });

  it('name the key that is missing, because its place cannot name it', () => {
    const missing = (event: JsonValue): unknown[] =>
      read({ ...online, event }).problems.map((problem) => [problem.pointer, problem.missing]);
    expect(missing({})).toEqual([['/triggers/0/event', 'type']]);
    expect(missing({ type: 'part_data_ingested' })).toEqual([['/triggers/0/event', 'data_ingested']]);
  });

  it.each([[undefined], [{}], [{ evals: [] }]])('fire at every upload with the conditions %j', (conditions) => {
    const { entries, problems } = read(conditional(conditions));
    expect(problems).toEqual([]);
    expect(entries[0]?.trigger?.event).toMatchObject({ conditions: [], written: undefined });
  });

  it.each<[JsonValue, string]>([
    [7, 'error trigger.wrong_type /0'],
    [{ ...online, name: '' }, 'error trigger.too_short /0/name'],
    [{ ...online, name: 7 }, 'error trigger.wrong_type /0/name'],
    [{ event: online.event, notifications: [webhook] }, 'error trigger.missing /0'],
    [{ ...online, event: {} }, 'error trigger.missing /0/event'],
    [{ ...online, event: { type: 'part_onlin' } }, 'error trigger.not_allowed /0/event/type'],
    [{ ...online, notifications: [] }, 'error trigger.too_short /0/notifications'],
    [{ ...online, notifications: [{ ...webhook, type: 'fax' }] }, 'error trigger.not_allowed /0/notifications/0/type'],
    [
      { ...online, notifications: [{ ...webhook, seconds_between_notifications: -1 }] },
      'error trigger.out_of_range /0/notifications/0/seconds_between_notifications',
    ],
    [{ ...online, event: { type: 'part_data_ingested' } }, 'error trigger.missing /0/event'],
    [
      { ...online, event: { type: 'part_data_ingested', data_ingested: { data_types: ['movie'] } } },
      'error trigger.not_allowed /0/event/data_ingested/data_types/0',
    ],
    [
      { ...online, event: { type: 'part_data_ingested', data_ingested: { data_types: [] } } },
      'error trigger.too_short /0/event/data_ingested/data_types',
    ],
    [conditional(undefined, 'tank:Readings'), 'error trigger.bad_method /0/event/conditional/data_capture_method'],
    [
      conditional({ evals: [{ operator: 'above', value: { cpu: 1 } }] }),
      'error trigger.not_allowed /0/event/conditional/conditions/evals/0/operator',
    ],
    [conditional({ evals: [{ operator: 'gt' }] }), 'error trigger.missing /0/event/conditional/conditions/evals/0'],
    [
      conditional({ evals: [{ operator: 'gt', value: { cpu: 'x' } }] }),
      'error trigger.bad_value /0/event/conditional/conditions/evals/0/value/cpu',
    ],
    [
      conditional({ evals: [{ operator: 'eq', value: [1] }] }),
      'error trigger.bad_value /0/event/conditional/conditions/evals/0/value',
    ],
    [
      conditional({ evals: [{ operator: 'eq', value: {} }] }),
      'error trigger.bad_value /0/event/conditional/conditions/evals/0/value',
    ],
    [
      conditional({ evals: [{ operator: 'regex', value: { 'a/b': '(' } }] }),
      'error trigger.bad_pattern /0/event/conditional/conditions/evals/0/value/a~1b',
    ],
    [
      conditional({ evals: [{ operator: 'regex', value: { a: 1 } }] }),
      'error trigger.bad_value /0/event/conditional/conditions/evals/0/value/a',
    ],
  ])('%j cannot be used', (trigger, problem) => {
    expect(brief(trigger)).toContain(problem);
    expect(read(trigger).entries[0]?.trigger).toBeUndefined();
  });

  it.each([
    ['example.com/hook'],
    ['ftp://example.com/'],
    ['javascript:alert(1)'],
    ['file:///etc/passwd'],
    ['http://user:word@example.com/'],
    ['http://example.com@10.0.0.1/'],
    ['https://${HOST}/hook'],
    [`https://example.com/${'x'.repeat(2_048)}`],
  ])('%s is the URL of no webhook', (value) => {
    expect(brief({ ...online, notifications: [{ ...webhook, value }] })).toEqual([
      'error trigger.bad_url /0/notifications/0/value',
    ]);
  });

  it.each([
    ['ann'],
    ['ann@'],
    ['@example.com'],
    ['ann@example.com, eve@example.com'],
    ['Ann <ann@example.com>'],
    ['ann@example.com\nBcc: eve@example.com'],
    ['ann@-example.com'],
    [`${'a'.repeat(65)}@example.com`],
  ])('%j is no e-mail address', (value) => {
    expect(brief({ ...online, notifications: [{ ...email, value }] })).toEqual([
      'error trigger.bad_address /0/notifications/0/value',
    ]);
  });

  it.each([['ann+tank@example.com'], ["o'neil@mail.example.co"], ['a@localhost'], ['jörg@müller.example']])(
    '%s is an e-mail address',
    (value) => expect(brief({ ...online, notifications: [{ ...email, value }] })).toEqual([]),
  );

  it('a wrong notification leaves the others', () => {
    const { entries } = read({ ...online, notifications: [{ ...webhook, value: 'x' }, email] });
    expect(entries[0]?.trigger?.notifications).toEqual([
      { type: 'email', value: 'ann@example.com', secondsBetween: 60 },
    ]);
  });

  it.each([[{}], [{ seconds_between_notifications: 0 }]])('warns of a notification without a limit: %j', (limit) => {
    const { type, value } = webhook;
    const trigger = { ...online, notifications: [{ type, value, ...limit }] };
    expect(brief(trigger)).toEqual([expect.stringContaining('warning trigger.no_limit /0/notifications/0')]);
    expect(read(trigger).entries[0]?.trigger?.notifications[0]?.secondsBetween).toBe(0);
  });

  it('warns of what the configuration does not capture, with what it does', () => {
    expect(read(conditional(undefined, 'sensor:tnak:Readings')).problems).toMatchObject([
      { severity: 'warning', code: 'trigger.no_component', nearest: 'tank', allowed: ['tank'] },
    ]);
    expect(read(conditional(undefined, 'sensor:tank:Reading')).problems).toMatchObject([
      { severity: 'warning', code: 'trigger.no_method', nearest: 'Readings', allowed: ['Readings'] },
    ]);
    expect(read(conditional(undefined, 'camera:tank:ReadImage')).problems).toMatchObject([
      { code: 'trigger.no_component', allowed: [] },
    ]);
  });

  it('warns of keys that have no effect', () => {
    const { problems } = read({
      ...online,
      evnt: 1,
      event: { type: 'part_online', conditional: { data_capture_method: 'a:b:c' } },
    });
    expect(problems).toMatchObject([
      { severity: 'warning', code: 'config.unknown_key', pointer: '/triggers/0/evnt', nearest: 'event', isAtKey: true },
      { severity: 'warning', code: 'trigger.no_effect', pointer: '/triggers/0/event/conditional' },
    ]);
  });

  it('keeps the first of two with one name', () => {
    const { entries, problems } = read(online, { ...online, event: { type: 'part_offline' } });
    expect(problems).toMatchObject([{ code: 'trigger.duplicate_name', pointer: '/triggers/1/name' }]);
    expect(entries.map(({ trigger }) => trigger?.event.type)).toEqual(['part_online', undefined]);
  });

  it('is no list: nothing fires', () => {
    const { entries, problems } = readTriggers({ triggers: { t: online } }, compile);
    expect(entries).toEqual([]);
    expect(problems).toMatchObject([{ code: 'trigger.wrong_type', pointer: '/triggers' }]);
  });

  it.each<[JsonValue]>([[{}], [{ triggers: null }], [7], [null]])('of %j there are none', (document) => {
    expect(readTriggers(document, compile)).toEqual({ entries: [], problems: [] });
  });

  it('the examples of the specification fit the schema', () => {
    for (const value of [{ cpu: 50 }, { coordinate: { latitude: 50 } }] as JsonValue[]) {
      expect(plainProblems(triggerSchema, conditional({ evals: [{ operator: 'lt', value }] }))).toEqual([]);
    }
  });
});

describe('a captured method', () => {
  it.each([
    ['sensor:tank:Readings', 'sensor', 'tank', 'Readings'],
    ['core:component:sensor:tank:Readings', 'core:component:sensor', 'tank', 'Readings'],
    ['rdk:component:sensor:tank:Readings', 'core:component:sensor', 'tank', 'Readings'],
  ])('%s is split at the last two colons', (text, type, component, method) => {
    expect(parseCaptureMethod(text)).toEqual({ type, component, method });
  });

  it.each([[''], ['sensor'], ['tank:Readings'], [':tank:Readings'], ['sensor::Readings'], ['a:b:tank:Readings']])(
    '%j is none',
    (text) => expect(parseCaptureMethod(text)).toBeUndefined(),
  );

  it('a short type means every API that ends in it, a long one itself', () => {
    const method = { component: 'tank', method: 'Readings' };
    expect(isOfType({ ...method, type: 'sensor' }, 'core:component:sensor')).toBe(true);
    expect(isOfType({ ...method, type: 'sensor' }, 'core:component:movement_sensor')).toBe(false);
    expect(isOfType({ ...method, type: 'core:component:sensor' }, 'acme:component:sensor')).toBe(false);
    expect(shortType('core:component:sensor')).toBe('sensor');
  });
});
