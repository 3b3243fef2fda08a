import { describe, expect, it } from 'vitest';
import { capturedAxis, capturedButton } from './capture.ts';
import { readPad } from './pad.fixture.ts';
import { PadWatch, type Pad } from './pad-watch.ts';

function padWith(...read: Parameters<typeof readPad>): Pad {
  const watch = new PadWatch();
  watch.look([readPad(...read)], true);
  if (watch.pad === undefined) throw new Error('no gamepad is followed');
  return watch.pad;
}

describe('capturing', () => {
  it('takes the button that is pressed from now on', () => {
    expect(capturedButton(padWith({}, [4]), padWith({}, [4]))).toBeUndefined();
    expect(capturedButton(padWith({}, [4]), padWith({}, [4, 7]))).toBe(7);
  });

  it('takes the axis that is moved furthest, from where it rests, and its direction', () => {
    const rest = padWith({ axes: [0, 0, -1] });
    expect(capturedAxis(rest, padWith({ axes: [0.3, 0, -1] }))).toBeUndefined();
    expect(capturedAxis(rest, padWith({ axes: [0.2, -0.9, -1] }))).toEqual({ axis: 1, isReversed: true });
    expect(capturedAxis(rest, padWith({ axes: [0, 0, 0.4] }))).toEqual({ axis: 2, isReversed: false });
  });
});
