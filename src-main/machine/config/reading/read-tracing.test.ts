import { describe, expect, it } from 'vitest';
import { configOf, parse } from '../config.fixture.ts';
import { planChange } from '../plan/planner.ts';
import { builtinCatalog } from '../../models/catalog.ts';
import { noTracing } from './read-tracing.ts';

const tracingOf = (tracing: unknown) => configOf({ tracing }).tracing;
const briefOf = (tracing: unknown): readonly string[] =>
  parse({ tracing }).problems.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`);

describe('tracing', () => {
  it('is off without the key, without "enabled", and without a place for spans', () => {
    expect(configOf({}).tracing).toEqual(noTracing);
    expect(tracingOf({ console: true })).toEqual(noTracing);
    expect(tracingOf({ enabled: true })).toEqual(noTracing);
    expect(briefOf({ enabled: true })).toEqual(['warning tracing.no_sink /tracing/enabled']);
    expect(briefOf({ console: true })).toEqual([]);
  });

  it.each([
    ['localhost:4317', { host: 'localhost', port: 4_317, isEncrypted: false }],
    ['127.0.0.1:1', { host: '127.0.0.1', port: 1, isEncrypted: false }],
    ['collector', { host: 'collector', port: 4_317, isEncrypted: true }],
    ['collector.example:4317', { host: 'collector.example', port: 4_317, isEncrypted: true }],
    ['http://collector.example:4317', { host: 'collector.example', port: 4_317, isEncrypted: false }],
    ['https://localhost', { host: 'localhost', port: 443, isEncrypted: true }],
  ])('sends spans to %s over gRPC', (otlpendpoint, address) => {
    expect(tracingOf({ enabled: true, otlpendpoint }).otlp).toMatchObject({ protocol: 'grpc', address });
  });

  it('sends spans to a URL with a path over HTTP', () => {
    expect(tracingOf({ enabled: true, disk: true, otlpendpoint: 'http://localhost:4318/v1/traces' })).toEqual({
      console: false,
      disk: true,
      otlp: { protocol: 'http', url: 'http://localhost:4318/v1/traces' },
    });
  });

  it.each([
    [7, 'warning config.wrong_type /tracing'],
    [{ enabled: 'yes' }, 'warning config.wrong_type /tracing/enabled'],
    [{ enabled: true, console: true, otlpendpoint: 'a b' }, 'warning tracing.bad_endpoint /tracing/otlpendpoint'],
    [{ enabled: true, disk: true, otlpendpoint: 'ftp://x/y' }, 'warning tracing.bad_endpoint /tracing/otlpendpoint'],
    [{ enabled: false, dsk: true }, 'warning config.unknown_key /tracing/dsk'],
  ])('%j is a warning, and keeps nothing from running', (tracing, problem) => {
    expect(briefOf(tracing)).toEqual([problem]);
    expect(parse({ tracing }).config).toBeDefined();
  });

  it('refuses a password in the address, and does not repeat it', () => {
    const { problems, config } = parse({
      tracing: { enabled: true, console: true, otlpendpoint: 'http://u:hush@h:1/p' },
    });
    expect(config?.tracing.otlp).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain('hush');
  });

  it('is a change of settings, in words, that restarts nothing', () => {
    const from = configOf({});
    const to = configOf({ tracing: { enabled: true, console: true, otlpendpoint: 'localhost:4317' } });
    const { settings, modules, resources } = planChange(from, to, builtinCatalog);
    expect(settings).toEqual([
      { key: 'tracing', reason: 'tracing off to console and localhost:4317', needsRestart: false },
    ]);
    expect([modules, resources]).toEqual([[], []]);
  });
});
