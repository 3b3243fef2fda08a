import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import document from '../../../../../docs/recordings.md?raw';
import type { PlotBuffer } from '../../../../shared/plot/plot-buffer.ts';
import type { Recording, RecordingProblem } from './recording.ts';
import { RecordingReader } from './recording-reader.ts';
import { RecordingWriter } from './recording-writer.ts';

const started = '2026-11-27T12:04:00.000Z';
const startedMs = Date.parse(started);
const header = { machine: 'bench', started, hz: 10, program: '0.1.0' };
const channelOf = (name: string) => ({ name, resource: `core:component:motor/${name}`, unit: 'rev' });

/** What happens in a recording: values of some channels (undefined is a gap), or an event. */
type Step = { readonly values: readonly (number | undefined | null)[] } | { readonly event: string };
const names = ['left.position', 'b"ench.pin 37', 'климат.°C'];
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ values: fc.array(fc.option(number, { nil: undefined }), { maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ event: fc.string({ unit: 'grapheme' }) }) },
);
const session = fc.array(step, { maxLength: 40 });

/** Steps are 100 ms apart. */
function written(steps: readonly Step[]): string {
  let text = '';
  const writer = new RecordingWriter((line) => (text += line));
  writer.header(header);
  steps.forEach((each, index) => {
    const atMs = index * 100;
    if ('event' in each) writer.event(atMs, { event: 'state', text: each.event, resource: 'left' });
    else {
      writer.values(
        atMs,
        each.values.map((value, at) => ({ channel: channelOf(names[at] ?? ''), value: value ?? undefined })),
      );
    }
  });
  return text;
}

function read(...pieces: readonly string[]): Recording | RecordingProblem {
  const reader = new RecordingReader();
  for (const piece of pieces) reader.take(piece);
  return reader.finish();
}

function recording(...pieces: readonly string[]): Recording {
  const result = read(...pieces);
  if (!('channels' in result)) throw new Error(`it is no recording: ${result.kind}`);
  return result;
}

const samplesOf = (buffer: PlotBuffer): readonly (readonly [number, number])[] =>
  Array.from(
    { length: buffer.length },
    (_, index) => [buffer.timeAt(index) - startedMs, buffer.valueAt(index)] as const,
  );
const valuesOf = (buffer: PlotBuffer) => samplesOf(buffer).filter(([, value]) => !Number.isNaN(value));
const contentOf = (result: Recording) => ({
  channels: result.channels.map(({ name, buffer }) => [name, valuesOf(buffer)] as const),
  events: result.events.map(({ at, text }) => [at - startedMs, text] as const),
});

describe('a recording', () => {
  it('that is read is the one that was written', () => {
    fc.assert(
      fc.property(session, (steps) => {
        const result = recording(written(steps));
        expect(result).toMatchObject({ header, leftOut: 0, problem: undefined });
        for (const [at, name] of names.entries()) {
          const wanted = steps.flatMap((each, index) => {
            const value = 'values' in each ? each.values[at] : undefined;
            return typeof value === 'number' ? [[index * 100, value] as const] : [];
          });
          const found = result.channels.find((channel) => channel.name === name);
          expect(found === undefined ? [] : valuesOf(found.buffer)).toEqual(wanted);
          if (found !== undefined) expect(found).toMatchObject({ resource: channelOf(name).resource, unit: 'rev' });
        }
        const events = steps.flatMap((each, index) => ('event' in each ? [[index * 100, each.event]] : []));
        expect(contentOf(result).events).toEqual(events);
      }),
    );
  });

  it('has a gap where a channel had no value, and no value before its first', () => {
    const values = [[undefined], [1], [undefined], [undefined], [2]].map((each) => ({ values: each }));
    const [channel] = recording(written(values)).channels;
    expect(channel === undefined ? [] : samplesOf(channel.buffer)).toEqual([
      [100, 1],
      [101, Number.NaN],
      [400, 2],
    ]);
  });

  it('is the same in whatever pieces it arrives', () => {
    fc.assert(
      fc.property(session, fc.array(fc.nat(200), { maxLength: 30 }), (steps, lengths) => {
        const text = written(steps);
        const pieces: string[] = [];
        let at = 0;
        for (const length of lengths) pieces.push(text.slice(at, (at += length)));
        expect(contentOf(recording(...pieces, text.slice(at)))).toEqual(contentOf(recording(text)));
      }),
    );
  });

  it('that is cut anywhere after its first line is a prefix of the whole', () => {
    fc.assert(
      fc.property(session, fc.double({ min: 0, max: 1, noNaN: true }), (steps, share) => {
        const text = written(steps);
        const first = text.indexOf('\n') + 1;
        const cutAt = first + Math.round(share * (text.length - first));
        const [whole, part] = [contentOf(recording(text)), contentOf(recording(text.slice(0, cutAt)))];
        expect(part.events).toEqual(whole.events.slice(0, part.events.length));
        for (const [name, samples] of part.channels) {
          const all = whole.channels.find(([other]) => other === name)?.[1] ?? [];
          expect(samples).toEqual(all.slice(0, samples.length));
        }
      }),
    );
  });

  it('names the line that is broken, and keeps what is before it', () => {
    const lines = written([{ values: [1] }, { values: [2] }, { values: [3] }]).split('\n');
    // The header, the channel, and then the values.
    lines[3] = '{"t":0.1,"v":{"left.posi';
    const result = recording(lines.join('\n'));
    expect(result.problem).toEqual({ kind: 'broken', line: 4, found: '{"t":0.1,"v":{"left.posi' });
    expect(contentOf(result).channels).toEqual([['left.position', [[0, 1]]]]);
  });

  it.each([
    ['{"t":"1","v":{}}', 'broken'],
    ['{"t":1,"v":{"a":"1"}}', 'broken'],
    ['{"t":1,"v":7}', 'broken'],
    ['{"t":1,"event":7}', 'broken'],
    ['[1]', 'broken'],
    ['{"t":1,"weather":"of a later program"}', undefined],
    ['', undefined],
  ])('takes the line %s as %s', (line, kind) => {
    expect(recording(`${written([])}${line}\n${written([{ event: 'x' }]).split('\n')[1]}`).problem?.kind).toBe(kind);
  });

  it('says that it ends within a line', () => {
    expect(recording(`${written([])}{"t":1,"ev`).problem).toMatchObject({ kind: 'cut', line: 2 });
  });

  it.each([
    ['', { kind: 'empty' }],
    ['\n\n', { kind: 'empty' }],
    ['time,left\n1,2\n', { kind: 'none', line: 1, found: 'time,left' }],
    ['{"format":"other"}\n', { kind: 'none', found: '{"format":"other"}' }],
    ['{"format":"armature-recording","version":1,"started":"never"}\n', { kind: 'none' }],
    ['{"format":"armature-recording","version":2}\n', { kind: 'newer', found: '2' }],
    ['\u0000'.repeat(5_000_000), { kind: 'none' }],
  ])('is not what begins with %.40j', (text, problem) => {
    expect(read(text)).toMatchObject(problem);
  });

  it('leaves out values whose times go backwards, and counts them', () => {
    const lines = ['{"t":5,"v":{"a":1}}', '{"t":1,"v":{"a":2}}', '{"t":6,"v":{"a":3}}'];
    const result = recording(`${written([])}${lines.join('\n')}`);
    expect(result.leftOut).toBe(1);
    expect(result.channels[0]?.buffer.length).toBe(2);
  });

  it('is what its document shows', () => {
    const example = /```json\n([^]*?)```/.exec(document)?.[1] ?? '';
    const result = recording(example);
    expect(result).toMatchObject({ problem: undefined, hasEnd: true, header: { machine: 'bench' } });
    expect(contentOf(result)).toEqual({
      channels: [
        [
          'left.position',
          [
            [104, 0],
            [904, 0.08],
          ],
        ],
      ],
      events: [
        [810, 'left: SetPower 0.4'],
        [950, 'Connection lost'],
        [4_200, 'Stopped'],
      ],
    });
  });

  it('of an event that this program does not know shows its text', () => {
    const [event] = recording(`${written([])}{"t":1,"event":"eclipse","text":"It is dark"}`).events;
    expect(event).toMatchObject({ kind: 'other', text: 'It is dark' });
  });
});
