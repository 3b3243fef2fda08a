import { describe, expect, it } from 'vitest';
import { readPad } from './pad.fixture.ts';
import { PadWatch, type ReadPad } from './pad-watch.ts';

function watching(...first: (ReadPad | null)[]): PadWatch {
  const watch = new PadWatch();
  watch.look(first, true);
  return watch;
}

describe('watching gamepads', () => {
  it('follows the first one, and copies what it shows', () => {
    const { pad } = watching(null, readPad({ index: 1, axes: [0.5, Number.NaN, 3] }, [4]));
    expect(pad).toMatchObject({ index: 1, isStandard: true, axes: [0.5, 0, 1] });
    expect(pad?.buttons[4]).toEqual({ isPressed: true, value: 1 });
  });

  it.each<[string, (watch: PadWatch) => void]>([
    ['is not listed any more', (watch) => watch.look([null], true)],
    ['is listed as not connected', (watch) => watch.look([readPad({ connected: false })], true)],
  ])('has none once it %s', (_, happen) => {
    const watch = watching(readPad());
    const before = watch.number;
    happen(watch);
    expect(watch.pad).toBeUndefined();
    expect(watch.number).not.toBe(before);
  });

  it.each<[string, (watch: PadWatch) => void]>([
    ['another takes its place', (watch) => watch.look([readPad({ id: 'Other' })], false)],
    [
      'it was unplugged between two looks',
      (watch) => {
        watch.unplug(0);
        watch.look([readPad()], false);
      },
    ],
  ])('counts as another one where %s', (_, happen) => {
    const watch = watching(readPad());
    const before = watch.number;
    happen(watch);
    expect(watch.pad).toBeDefined();
    expect(watch.number).not.toBe(before);
  });

  it('changes to the one whose button is pressed, but not while it may not', () => {
    const watch = watching(readPad(), readPad({ index: 1, id: 'Other' }));
    watch.look([readPad(), readPad({ index: 1, id: 'Other' }, [0])], false);
    expect(watch.pad?.index).toBe(0);
    // The button is down since before: only a press counts.
    watch.look([readPad(), readPad({ index: 1, id: 'Other' }, [0])], true);
    expect(watch.pad?.index).toBe(0);
    watch.look([readPad(), readPad({ index: 1, id: 'Other' })], true);
    watch.look([readPad(), readPad({ index: 1, id: 'Other' }, [0])], true);
    expect(watch.pad?.index).toBe(1);
  });

  it('counts presses and movements as changes, and not a stick that is held and trembles', () => {
    const watch = watching(readPad());
    const { changes } = watch;
    watch.look([readPad({ axes: [0, -0.9] })], true);
    expect(watch.changes).toBe(changes + 1);
    for (const tremble of [-0.88, -0.93, -0.9]) watch.look([readPad({ axes: [0, tremble] })], true);
    expect(watch.changes).toBe(changes + 1);
    watch.look([readPad({ axes: [0, -0.9] }, [4])], true);
    expect(watch.changes).toBe(changes + 2);
  });
});
