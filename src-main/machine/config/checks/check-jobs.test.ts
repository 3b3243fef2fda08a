import { describe, expect, it } from 'vitest';
import { board, configOf, fixtureCatalog, motor, parse, sensor } from '../config.fixture.ts';
import { planChange } from '../plan/planner.ts';
import { parseConfig } from '../reading/parse-config.ts';

const job = (more: object = {}): object => ({
  name: 'night',
  schedule: '5s',
  resource: 'heat',
  method: 'GetReadings',
  ...more,
});
const documentOf = (...jobs: object[]): object => ({ components: [board(), motor(), sensor()], jobs });
const problemsOf = (...jobs: object[]) => parse(documentOf(...jobs)).problems;
const brief = (...jobs: object[]): readonly string[] =>
  problemsOf(...jobs).map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`);

describe('an entry of "jobs"', () => {
  it('is read whole', () => {
    const command = { a: 1 };
    const jobs = [job({ method: 'DoCommand', command, log_configuration: { level: 'debug' } }), job({ name: 'b' })];
    expect(configOf(documentOf(...jobs)).jobs).toEqual([
      {
        name: 'night',
        scheduleText: '5s',
        schedule: { kind: 'interval', ms: 5_000 },
        resource: 'heat',
        method: 'DoCommand',
        command,
        logLevel: 'debug',
        isDisabled: false,
        pointer: '/jobs/0',
        problems: [],
      },
      expect.objectContaining({ name: 'b', method: 'GetReadings', command: {}, logLevel: undefined }),
    ]);
    expect(problemsOf(...jobs)).toEqual([]);
  });

  it.each<[object, readonly string[]]>([
    [{ name: '' }, ['error config.missing_key /jobs/0/name']],
    [{ name: 'a\nb' }, ['error config.bad_name /jobs/0/name']],
    [{ name: 7 }, ['error config.wrong_type /jobs/0/name']],
    [{ name: 'with a space' }, []],
    [{ schedule: undefined }, ['error config.missing_key /jobs/0']],
    [{ schedule: 5 }, ['error config.wrong_type /jobs/0/schedule']],
    [{ schedule: 'soon' }, ['error job.bad_schedule /jobs/0/schedule']],
    [{ resource: '' }, ['error config.missing_key /jobs/0/resource']],
    [{ resource: 'heta' }, ['warning dependency.missing /jobs/0/resource']],
    [{ resource: 'core:component:sensor/heat' }, []],
    [{ resource: 'rdk:component:sensor/heat' }, []],
    [{ method: '' }, ['error config.missing_key /jobs/0/method']],
    [{ method: 'getReadings' }, ['error job.unknown_method /jobs/0/method']],
    [{ resource: 'bench', method: 'StreamTicks' }, ['error job.streaming_method /jobs/0/method']],
    [{ method: 'GetReadings', command: { a: 1 } }, ['warning job.unused_command /jobs/0/command']],
    [{ method: 'DoCommand', command: [] }, ['error config.wrong_type /jobs/0/command']],
    [{ log_configuration: { level: 'loud' } }, ['warning log.unknown_level /jobs/0/log_configuration/level']],
    [{ scedule: '5s' }, ['warning config.unknown_key /jobs/0/scedule']],
    [{ resource: 'heta', disabled: true }, []],
  ])('%j: %j', (more, problems) => expect(brief(job(more))).toEqual(problems));

  it('says what can be written, and what is meant', () => {
    const messages = (more: object): readonly string[] => problemsOf(job(more)).map(({ message }) => message);
    expect(messages({ schedule: '61 * * * *' })).toEqual([
      'job "night": "61 * * * *" is no schedule: Invalid value for minute: 61. Write a time such as 30s or 1h30m, cron with 5 or 6 fields, or continuous.',
    ]);
    expect(messages({ method: 'GetReading' })).toEqual([
      'job "night": "GetReading" is no method: core:component:sensor has GetReadings, DoCommand, GetStatus, GetGeometries; did you mean "GetReadings"?',
    ]);
    expect(messages({ resource: 'heap' })).toEqual([
      'job "night": each run fails, because "heap" is not in the configuration; did you mean "heat"?',
    ]);
  });

  it('of two with one name is the first, and of a resource that may be several is told', () => {
    expect(brief(job(), job({ schedule: '1h' }))).toEqual(['error config.duplicate_name /jobs/1']);
    expect(configOf(documentOf(job(), job({ schedule: '1h' }))).jobs).toMatchObject([{ scheduleText: '5s' }]);
    const twins = parse({ components: [sensor('x'), board('x')], jobs: [job({ resource: 'x' })] }).problems;
    expect(twins.map(({ code }) => code)).toEqual(['dependency.ambiguous']);
  });

  it('may call what only a remote has', () => {
    const remotes = [{ name: 'second', address: 'host:8080' }];
    expect(parse({ remotes, jobs: [job({ resource: 'far' })] }).problems).toEqual([]);
  });

  it('keeps no other entry from anything, and its secrets out of what is told', () => {
    const wrong = { method: 'DoCommand', command: [{ token: 'sesame' }], schedule: '5x' };
    const { config, problems } = parse(documentOf(job(wrong)));
    expect(config?.resources.map((one) => one.problems)).toEqual([[], [], []]);
    expect(problems.map(({ code }) => code)).toEqual(['job.bad_schedule', 'config.wrong_type']);
    expect(JSON.stringify(problems)).toContain('***');
    expect(JSON.stringify(problems)).not.toContain('sesame');
  });

  it('is refused where the environment is not trusted, each by a problem of its own', () => {
    const text = JSON.stringify(documentOf(job(), job({ name: 'other' })));
    const { config, problems } = parseConfig(text, {
      file: '',
      environment: {},
      catalog: fixtureCatalog,
      isEnvironmentUntrusted: true,
    });
    expect(problems.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'job.untrusted /jobs/0',
      'job.untrusted /jobs/1',
    ]);
    expect(problems[0]?.message).toBe(
      'job "night" is not run: this server runs with -untrusted-env, which refuses "jobs".',
    );
    expect(config?.resources.length).toBe(3);
  });

  it('is in the plan: added, changed, removed', () => {
    const planOf = (from: readonly object[], to: readonly object[]): string =>
      planChange(configOf(documentOf(...from)), configOf(documentOf(...to)), fixtureCatalog).summary;
    expect(planOf([], [job()])).toBe('jobs: added night');
    expect(planOf([job()], [])).toBe('jobs: removed night');
    expect(planOf([job()], [job({ schedule: '6s' }), job({ name: 'b' })])).toBe('jobs: added b; changed night');
    expect(planOf([job(), job({ name: 'b' })], [job({ name: 'b' }), job()])).toBe('no changes');
    expect(planOf([job({ method: 'DoCommand', command: { a: 1 } })], [job({ method: 'DoCommand' })])).toBe(
      'jobs: changed night',
    );
  });
});
