import { chmod, readFile, readdir, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ConfigServiceDefinition,
  PlanChange_Kind,
  Problem_Severity,
  Result_Outcome,
  Source,
  type WatchResponse,
} from '../../proto/gen/core/config/v1/config.ts';
import { Resource_State, StatusServiceDefinition, type Resource } from '../../proto/gen/core/status/v1/status.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

interface Component {
  name: string;
  api: string;
  model: string;
  attributes: Record<string, unknown>;
  depends_on?: string[];
}

interface Document {
  components: Component[];
  network: Record<string, unknown>;
}

const bench = await readFile(benchConfig, 'utf8');

/** The bench's text with a change. */
function edited(change: (document: Document) => void): string {
  const document = JSON.parse(bench) as Document;
  change(document);
  return JSON.stringify(document, null, 2);
}

function component(document: Document, name: string): Component {
  const found = document.components.find((each) => each.name === name);
  if (found === undefined) throw new Error(`the bench has no ${name}`);
  return found;
}

let server: ServerProcess;
let client: MachineClient;
let watching: ClientReadableStream<WatchResponse>;
/** The latest message of ConfigService/Watch. */
let state: WatchResponse;

beforeEach(async () => {
  server = await startServer({ config: bench });
  client = new MachineClient(server);
  watching = client.grpc.stream(ConfigServiceDefinition, 'watch', { partId: '' });
  watching.on('data', (next: WatchResponse) => (state = next));
  watching.on('error', () => undefined);
  await new Promise((resolve) => watching.once('data', resolve));
});

afterEach(async () => {
  watching.cancel();
  client.close();
  expect(await server.stop()).toBe(0);
});

/** Resolves when Watch shows the expected state. */
async function watched(what: string, holds: (state: WatchResponse) => boolean): Promise<void> {
  await until(what, () => holds(state), 10_000).catch((error: unknown) => {
    throw new Error(`${what}; the last state is ${JSON.stringify({ ...state, text: undefined })}`, { cause: error });
  });
}

const isApplied = (text: string) => (now: WatchResponse) =>
  now.text === text &&
  now.appliedRevision === now.revision &&
  (now.result?.outcome === Result_Outcome.APPLIED || now.result?.outcome === Result_Outcome.APPLIED_WITH_FAILURES);

async function resources(): Promise<Map<string, Resource>> {
  const stream = client.grpc.stream(StatusServiceDefinition, 'watch', {});
  stream.on('error', () => undefined);
  const first = await new Promise<{ event?: { $case: string; value: unknown } }>((resolve) =>
    stream.once('data', resolve),
  );
  stream.cancel();
  const { resources: all } = first.event?.value as { resources: Resource[] };
  return new Map(all.map((each) => [each.name.split('/')[1] ?? '', each]));
}

describe('an edit of the file', () => {
  it.each([
    ['a motor with an encoder', 'turntable', 'max_power_pct', 0.3],
    ['a motor without one', 'left', 'max_power_pct', 0.3],
    ['a motor whose max_rpm changes', 'left', 'max_rpm', 50],
    ['a motor whose min_power_pct changes', 'right', 'min_power_pct', 0.8],
  ])('re-limits %s while it turns, without a stop', async (_title, motor, attribute, value) => {
    await client.setPower(motor, 0.6);
    const samples: number[] = [];
    let isSampling = true;
    const sampling = (async () => {
      const sampler = new MachineClient(server);
      while (isSampling) samples.push(await sampler.power(motor));
      sampler.close();
    })();
    const text = edited((document) => (component(document, motor).attributes[attribute] = value));
    await server.writeConfig(text);
    await watched('the limit is in force', isApplied(text));
    const before = samples.length;
    await until('it is sampled afterwards too', () => samples.length > before + 10, 5_000);
    isSampling = false;
    await sampling;
    expect(samples.every((power) => power !== 0)).toBe(true);
    expect(samples[0]).toBe(0.6);
    const expected = { max_power_pct: 0.3, min_power_pct: 0.8, max_rpm: 0.6 }[attribute];
    expect(await client.power(motor)).toBeCloseTo(expected ?? Number.NaN, 5);
    expect(await client.isMoving(motor)).toBe(true);
    expect(state.result?.message).toContain(motor);
    expect(server.stderr()).not.toMatch(/rebuil/i);
  });

  it('whose new pins need a rebuild stops only that motor', async () => {
    await client.setPower('left', 0.5);
    await client.setPower('right', 0.5);
    const text = edited((document) => (component(document, 'left').attributes['dir_flip'] = true));
    await server.writeConfig(text);
    await watched('the new pins are in force', isApplied(text));
    expect(await client.isMoving('left')).toBe(false);
    expect(await client.power('right')).toBe(0.5);
  });

  it('of log levels leaves every motor turning', async () => {
    await client.setPower('left', 0.5);
    const text = edited((document) => {
      (document as unknown as { log: unknown })['log'] = [{ pattern: 'core.component.*', level: 'debug' }];
    });
    await server.writeConfig(text);
    await watched('the levels are in force', isApplied(text));
    expect(await client.power('left')).toBe(0.5);
  });

  it.each<[string, (text: string) => Promise<void>]>([
    [
      'a rename over it',
      async (text) => {
        await writeFile(`${server.configPath}.new`, text);
        await rename(`${server.configPath}.new`, server.configPath);
      },
    ],
    [
      'truncating and writing it again',
      async (text) => {
        await truncate(server.configPath, 0);
        await watched('an empty file is rejected', ({ result }) => result?.outcome === Result_Outcome.REJECTED);
        await writeFile(server.configPath, text);
      },
    ],
    [
      'deleting and making it again',
      async (text) => {
        await rm(server.configPath);
        await watched('a missing file is reported', ({ result }) => result?.outcome === Result_Outcome.REJECTED);
        await writeFile(server.configPath, text);
      },
    ],
    [
      'swapping a symbolic link',
      async (text) => {
        const first = edited((document) => (component(document, 'left').attributes['max_rpm'] = 71));
        await writeFile(path.join(server.home, 'one.json'), first);
        await writeFile(path.join(server.home, 'two.json'), text);
        await symlink('one.json', `${server.configPath}.link`);
        await rename(`${server.configPath}.link`, server.configPath);
        await watched('the first target is in force', isApplied(first));
        await symlink('two.json', `${server.configPath}.link`);
        await rename(`${server.configPath}.link`, server.configPath);
      },
    ],
  ])('is followed after %s, and the one after that too', async (_title, edit) => {
    await client.setPower('left', 0.5);
    const text = edited((document) => (component(document, 'left').attributes['max_power_pct'] = 0.25));
    await edit(text);
    await watched('the edit is in force', isApplied(text));
    expect(await client.power('left')).toBe(0.25);
    const next = edited((document) => (component(document, 'left').attributes['max_power_pct'] = 0.2));
    await server.writeConfig(next);
    await watched('the next edit is in force', isApplied(next));
    expect(await client.power('left')).toBe(0.2);
  });

  it('that breaks it changes nothing, and Watch says what is wrong, with line and column', async () => {
    await client.setPower('left', 0.5);
    const { appliedRevision } = state;
    const broken = '{\n  "components": [\n    { "name": "left", }}\n';
    await server.writeConfig(broken);
    await watched(
      'the broken text is rejected',
      ({ result, text }) => text === broken && result?.outcome === Result_Outcome.REJECTED,
    );
    const [problem] = state.problems;
    expect(problem).toMatchObject({ line: 3, severity: Problem_Severity.ERROR, file: server.configPath });
    expect(problem?.column).toBeGreaterThan(1);
    expect(problem?.message).not.toBe('');
    expect(state.appliedRevision).toBe(appliedRevision);
    expect(state.revision).not.toBe(appliedRevision);
    expect(await client.power('left')).toBe(0.5);
    await server.writeConfig(bench);
    await watched('the good text is in force again', isApplied(bench));
    expect(state.problems.filter(({ severity }) => severity === Problem_Severity.ERROR)).toEqual([]);
    expect(await client.power('left')).toBe(0.5);
  });

  it('with one bad entry fails that entry alone', async () => {
    await client.setPower('right', 0.5);
    const text = edited((document) => (component(document, 'left').attributes['max_rpm'] = 'fast'));
    await server.writeConfig(text);
    await watched('the text is in force with a failure', isApplied(text));
    expect(state.result?.outcome).toBe(Result_Outcome.APPLIED_WITH_FAILURES);
    const [problem] = state.problems;
    expect(problem).toMatchObject({ pointer: '/components/2/attributes/max_rpm', found: '"fast"' });
    expect(text.split('\n')[(problem?.line ?? 0) - 1]).toContain('"max_rpm": "fast"');
    expect((await resources()).get('left')).toMatchObject({ state: Resource_State.FAILED });
    expect(await client.power('right')).toBe(0.5);
    await expect(client.setPower('left', 0.1)).rejects.toMatchObject({
      details: expect.stringContaining('left') as string,
    });
  });

  it('renames a motor: the old name is gone, the new one answers', async () => {
    const text = edited((document) => (component(document, 'left').name = 'port'));
    await server.writeConfig(text);
    await watched('the new name is in force', isApplied(text));
    expect(await client.isMoving('port')).toBe(false);
    await expect(client.isMoving('left')).rejects.toMatchObject({ code: 5 });
    expect(await client.resourceNames()).toContain('motor/port');
    expect(await client.resourceNames()).not.toContain('motor/left');
  });

  it('that removes a dependency makes those who need it wait or fail, saying for what', async () => {
    await client.setPower('left', 0.5);
    const text = edited((document) => {
      document.components = document.components.filter(({ name }) => name !== 'wheel');
    });
    await server.writeConfig(text);
    await watched('the text is in force', isApplied(text));
    const turntable = (await resources()).get('turntable');
    expect([Resource_State.WAITING, Resource_State.FAILED]).toContain(turntable?.state);
    expect(turntable?.reason).toContain('wheel');
    expect(await client.power('left')).toBe(0.5);
    await server.writeConfig(bench);
    await watched('the encoder is back', isApplied(bench));
    await until('so is the motor', async () => (await client.resourceNames()).includes('motor/turntable'), 10_000);
    await client.setPower('turntable', 0.2);
    expect(await client.power('turntable')).toBe(0.2);
  });
});

describe('ConfigService', () => {
  const get = () => client.grpc.call(ConfigServiceDefinition, 'get', { partId: '' });
  const apply = (text: string, baseRevision: string) =>
    client.grpc.call(ConfigServiceDefinition, 'apply', { partId: '', text, baseRevision, author: 'test', note: '' });

  it('Get gives the very bytes of the file', async () => {
    const answer = await get();
    expect(answer).toMatchObject({ text: bench, source: Source.FILE, path: server.configPath, readOnly: false });
    expect(answer.appliedRevision).toBe(answer.revision);
  });

  it('Validate says what is wrong and changes nothing', async () => {
    const text = edited((document) => (component(document, 'left').attributes['max_rpmm'] = 1));
    const { problems } = await client.grpc.call(ConfigServiceDefinition, 'validate', { partId: '', text });
    expect(problems.map(({ pointer, nearest }) => [pointer, nearest])).toContainEqual([
      '/components/2/attributes/max_rpmm',
      'max_rpm',
    ]);
    expect((await get()).text).toBe(bench);
  });

  it('Plan shows what Apply then does', async () => {
    const text = edited((document) => {
      component(document, 'left').attributes['max_rpm'] = 90;
      component(document, 'right').attributes['dir_flip'] = false;
      document.components = document.components.filter(({ name }) => name !== 'echo');
    });
    const { plan } = await client.grpc.call(ConfigServiceDefinition, 'plan', { partId: '', text });
    const kinds = new Map(plan?.changes.map(({ subject, kind }) => [subject.split('/')[1], kind]));
    expect(kinds.get('left')).toBe(PlanChange_Kind.CHANGE_IN_PLACE);
    expect(kinds.get('right')).toBe(PlanChange_Kind.REBUILD);
    expect(kinds.get('echo')).toBe(PlanChange_Kind.REMOVE);
    expect(kinds.has('turntable')).toBe(false);
    expect((await get()).text).toBe(bench);
    const { outcome } = await apply(text, (await get()).revision);
    expect(outcome?.$case === 'applied' && outcome.value.plan).toEqual(plan);
    await watched('it is in force', isApplied(text));
  });

  it('Apply replaces the file as a whole and keeps its mode; the watcher does not apply it again', async () => {
    await chmod(server.configPath, 0o640);
    const { ino } = await stat(server.configPath);
    const text = edited((document) => (component(document, 'left').attributes['max_power_pct'] = 0.5));
    const { outcome } = await apply(text, (await get()).revision);
    expect(outcome?.$case).toBe('applied');
    await watched('it is in force', isApplied(text));
    expect(await readFile(server.configPath, 'utf8')).toBe(text);
    const after = await stat(server.configPath);
    expect(after.mode & 0o777).toBe(0o640);
    expect(after.ino).not.toBe(ino);
    expect((await readdir(server.home)).filter((name) => name.endsWith('.new'))).toEqual([]);
    // A later edit of the file proves that the watcher has seen the previous one.
    const next = edited((document) => (component(document, 'left').attributes['max_power_pct'] = 0.4));
    await server.writeConfig(next);
    await watched('the edit is in force', isApplied(next));
    expect(server.stderr().match(/is in force/g)).toHaveLength(3);
  });

  it('Apply from an old revision is a conflict and stores nothing', async () => {
    const { revision } = await get();
    const theirs = edited((document) => (component(document, 'left').attributes['max_rpm'] = 90));
    expect((await apply(theirs, revision)).outcome?.$case).toBe('applied');
    const ours = edited((document) => (component(document, 'left').attributes['max_rpm'] = 80));
    const { outcome } = await apply(ours, revision);
    expect(outcome).toMatchObject({ $case: 'conflict', value: { currentText: theirs } });
    expect(await readFile(server.configPath, 'utf8')).toBe(theirs);
  });

  it('Apply of a text that leaves nothing to run is rejected and stores nothing', async () => {
    const { outcome } = await apply('{ "components": ', (await get()).revision);
    expect(outcome?.$case).toBe('rejected');
    expect(outcome?.$case === 'rejected' && outcome.value.problems[0]).toMatchObject({ line: 1 });
    expect(await readFile(server.configPath, 'utf8')).toBe(bench);
  });
});

it('that is too large for the memory of the server is not read: the page says so, and a smaller one is taken', async () => {
  const motors = Array.from({ length: 30_000 }, (_, at) => ({
    name: `motor-${at}`,
    api: 'core:component:motor',
    model: 'fake',
    attributes: { max_rpm: 100 },
  }));
  const large = JSON.stringify({ ...(JSON.parse(bench) as Document), components: motors });
  const small = await startServer({ config: large, environment: { NODE_OPTIONS: '--max-old-space-size=100' } });
  const owner = new MachineClient(small);
  try {
    const { text, revision, appliedRevision } = await owner.grpc.call(ConfigServiceDefinition, 'get', { partId: '' });
    expect(text).toBe(large);
    expect(appliedRevision).not.toBe(revision);
    expect((await fetch(`${small.url}/healthz/ready`)).status).toBe(200);
    expect(small.stderr()).toContain('Reading this configuration takes about');
    const request = { partId: '', text: bench, baseRevision: revision, author: 'test', note: '' };
    const applied = await owner.grpc.call(ConfigServiceDefinition, 'apply', request);
    expect(applied.outcome?.$case).toBe('applied');
    await until('it runs', async () => (await owner.resourceNames()).includes('motor/left'), 10_000);
  } finally {
    owner.close();
    await small.stop();
  }
});
