import { describe, expect, it } from 'vitest';
import { LostEdgeDetector } from './lost-edge-detector.ts';
import type { PositionUncertainty } from '../../uncertain-encoder.ts';
import type { Encoder } from '../../../../apis/encoder.ts';
import type { Logger } from '../../../../base/logger.ts';

function watching(hasGoal: boolean, before: PositionUncertainty = { ticks: 0, edges: 0 }) {
  const encoder = { name: 'enc', uncertainty: before };
  const detector = new LostEdgeDetector(encoder as unknown as Encoder, { motor: 'left', operation: 'GoTo', hasGoal });
  const log: string[] = [];
  const logger = { warn: (message: string) => void log.push(message) } as unknown as Logger;
  const look = (ticks: number, edges = ticks): void => {
    encoder.uncertainty = { ticks, edges };
    detector.check(logger);
  };
  return { look, log };
}

describe('lost edge detector', () => {
  it('fails a motion with a goal, but not for what was lost before it', () => {
    const { look } = watching(true, { ticks: 4, edges: 9 });
    look(4, 9);
    expect(() => look(5, 10)).toThrow('Motor "left" was stopped: encoder "enc" lost 10 edges that');
  });

  it('counts from a reset on', () => {
    const { look } = watching(true, { ticks: 4, edges: 9 });
    look(0);
    expect(() => look(1)).toThrow(
      'lost 1 edge that it could not make good, and its position may be off by up to 1 tick.',
    );
  });

  it('warns of a motion without a goal, once', () => {
    const { look, log } = watching(false);
    for (const ticks of [0, 2, 5, 9]) look(ticks);
    expect(log).toEqual([expect.stringMatching(/^Motor "left" turns on, but encoder "enc" lost 2 edges /)]);
  });

  it('says nothing of an encoder that knows of no losses', () => {
    const detector = new LostEdgeDetector({ name: 'enc' } as Encoder, {
      motor: 'left',
      operation: 'GoTo',
      hasGoal: true,
    });
    expect(() => detector.check({} as Logger)).not.toThrow();
  });
});
