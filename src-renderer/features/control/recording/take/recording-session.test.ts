import { describe, expect, it } from 'vitest';
import { MotorServiceDefinition } from '../../../../../proto/gen/core/component/motor/v1/motor.ts';
import { type Resource, Resource_State } from '../../../../../proto/gen/core/status/v1/status.ts';
import { resourceOf } from '../../../../shared/machine/resource.fixture.ts';
import { createTexts, withTexts } from '../../../../shared/text.ts';
import { recordingMessages } from '../messages.ts';
import { recordedPolls, type RecordedPoll } from './recorded-values.ts';
import { RecordingSession } from './recording-session.ts';

const { methods } = MotorServiceDefinition;
const left = 'core:component:motor/left';
/** The machine's clock is an hour ahead of that of the page. */
const aheadMs = 3_600_000;
const wallAt = Date.parse('2026-11-27T12:00:00Z');

function bench() {
  let now = 0;
  const lines: Record<string, unknown>[] = [];
  const session = new RecordingSession({
    machine: 'bench',
    program: '0.1.0',
    hz: 10,
    t: withTexts(createTexts(), recordingMessages),
    write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
    pageNow: () => now,
    wallNow: () => wallAt + now,
  });
  const resources = [resourceOf('left')];
  const polls = recordedPolls(resources, [], 10);
  const pollOf = (method: { readonly name: string }): RecordedPoll => {
    const found = polls.find(({ request }) => request.method === method);
    if (found === undefined) throw new Error(`no poll of ${method.name}`);
    return found;
  };
  const power = pollOf(methods.isPowered);
  const tell = (poll: RecordedPoll, value: unknown, more: object = {}): void =>
    session.takeReading(poll, {
      id: poll.request.id,
      method: poll.request.method,
      value,
      error: '',
      machineAt: wallAt + aheadMs + now,
      ageMs: 0,
      skipped: 0,
      ...more,
    });
  const tellPower = (powerPct: number, more: object = {}): void => tell(power, { isOn: true, powerPct }, more);
  return { session, lines, tell, tellPower, power, pollOf, resources, at: (ms: number) => void (now = ms) };
}

const ofKind = (lines: readonly Record<string, unknown>[], key: string) => lines.filter((line) => key in line);
const valuesOf = (lines: readonly Record<string, unknown>[]) => ofKind(lines, 'v').map(({ t, v }) => [t, v]);
const textsOf = (lines: readonly Record<string, unknown>[]) => ofKind(lines, 'event').map(({ text }) => text);

describe('a session that is recorded', () => {
  it("has the machine's times, and begins when it began", () => {
    const { lines, tellPower, at } = bench();
    at(40);
    tellPower(0.4);
    at(140);
    tellPower(0.5);
    expect(lines).toEqual([
      {
        format: 'armature-recording',
        version: 1,
        machine: 'bench',
        started: '2026-11-27T13:00:00.000Z',
        hz: 10,
        program: '0.1.0',
      },
      { channel: 'left.power', resource: left, unit: '' },
      { t: 0.04, v: { 'left.power': 0.4 } },
      { t: 0.14, v: { 'left.power': 0.5 } },
    ]);
  });

  it('has the speed of a motor, computed from its positions', () => {
    const { lines, tell, pollOf, at } = bench();
    const position = pollOf(methods.getPosition);
    at(100);
    tell(position, { position: 1 });
    at(200);
    tell(position, { position: 1.1 });
    expect(valuesOf(lines)[0]).toEqual([0.1, { 'left.position': 1 }]);
    const [, values] = valuesOf(lines)[1] as [number, Record<string, number>];
    expect(values['left.speed']).toBeCloseTo(60, 6);
  });

  it('has gaps where values were left out, failed, or the connection was lost, and no value there', async () => {
    const { session, lines, tellPower, at } = bench();
    at(100);
    tellPower(0.1);
    at(500);
    tellPower(0.2, { skipped: 3 });
    at(600);
    tellPower(0, { value: undefined, error: 'cable out' });
    at(700);
    tellPower(0, { value: undefined, error: 'cable out' });
    at(800);
    tellPower(0.3);
    at(900);
    session.noteConnection(false, 'no answer');
    at(5_000);
    session.noteConnection(true);
    tellPower(0.4);
    expect(valuesOf(lines).map(([t, v]) => [t, Object.values(v as object)[0] as unknown])).toEqual([
      [0.1, 0.1],
      [0.101, null],
      [0.5, 0.2],
      [0.501, null],
      [0.8, 0.3],
      [0.801, null],
      [5, 0.4],
    ]);
    expect(textsOf(lines)).toEqual([
      'left: IsPowered gave no value: cable out',
      'Connection lost: no answer',
      'Connected again',
    ]);
    await Promise.resolve();
  });

  it('has commands with their words, and why they failed', async () => {
    const { session, lines, tellPower, at } = bench();
    session.noteCommand({ resource: '', method: 'StopAll', request: {}, answer: Promise.resolve() });
    at(50);
    tellPower(0);
    at(1_000);
    const answer = Promise.reject(new Error('not allowed'));
    session.noteCommand({ resource: 'left', method: 'SetPower', request: { powerPct: 0.4 }, answer });
    session.noteCommand({
      resource: 'left',
      method: 'GoFor',
      request: { rpm: 60, revolutions: 2 },
      answer: Promise.resolve(),
    });
    await expect(answer).rejects.toThrow();
    await Promise.resolve();
    expect(ofKind(lines, 'event')).toEqual([
      { t: 0, event: 'command', text: 'Stop all', method: 'StopAll', request: {} },
      {
        t: 1,
        event: 'command',
        text: 'left: SetPower 0.4',
        resource: 'left',
        method: 'SetPower',
        request: { powerPct: 0.4 },
      },
      {
        t: 1,
        event: 'command',
        text: 'left: GoFor rpm 60, revolutions 2',
        resource: 'left',
        method: 'GoFor',
        request: { rpm: 60, revolutions: 2 },
      },
      { t: 1, event: 'failed', text: 'left: SetPower 0.4 failed: not allowed', resource: 'left', method: 'SetPower' },
    ]);
  });

  it('has changes of state, and a gap where a resource is not ready any more', () => {
    const { session, lines, tellPower, resources, at } = bench();
    session.noteResources(resources);
    at(100);
    tellPower(0.1);
    at(200);
    const failed: Resource[] = resources.map((each) => ({
      ...each,
      state: Resource_State.FAILED,
      reason: 'cable out',
    }));
    session.noteResources(failed);
    session.noteResources(failed);
    session.noteResources([]);
    expect(textsOf(lines)).toEqual(['left: failed: cable out', 'left: not configured any more']);
    expect(valuesOf(lines).at(-1)).toEqual([0.101, { 'left.power': null }]);
  });

  it('takes no value twice, and none of before its start', () => {
    const { lines, tellPower, at } = bench();
    at(100);
    tellPower(0.1);
    tellPower(0.1);
    tellPower(0.2, { machineAt: wallAt + aheadMs - 800, ageMs: 900 });
    expect(valuesOf(lines)).toHaveLength(1);
  });

  it("goes on by the window's clock where that of the machine is set back", () => {
    const { lines, tellPower, at } = bench();
    at(100);
    tellPower(0.1);
    at(10_000);
    tellPower(0.2, { machineAt: wallAt + aheadMs - 60_000 });
    at(10_100);
    tellPower(0.3, { machineAt: wallAt + aheadMs - 59_900 });
    expect(valuesOf(lines).map(([t]) => t)).toEqual([0.1, 0.101, 10, 10.1]);
    expect(textsOf(lines)).toEqual([expect.stringContaining('was set back')]);
  });

  it('of a machine without values has the time of the window', () => {
    const { session, lines, at } = bench();
    at(1_000);
    session.note('page', 'hidden');
    session.tick();
    expect(lines).toEqual([]);
    at(3_000);
    session.tick();
    session.end('Stopped');
    expect(lines[0]).toMatchObject({ started: '2026-11-27T12:00:00.000Z' });
    expect(ofKind(lines, 'event').map(({ t, text }) => [t, text])).toEqual([
      [1, 'hidden'],
      [3, 'Stopped'],
    ]);
  });
});
