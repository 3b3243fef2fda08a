import { describe, expect, it } from 'vitest';
import { AnswerLog, MAX_KEPT_ANSWERS } from './call-record.ts';

describe('the answers of a stream', () => {
  it('are counted, and the last ones kept', () => {
    const log = new AnswerLog();
    for (let number = 1; number <= MAX_KEPT_ANSWERS + 20; number++) log.add(number);
    const { answers, count } = log.snapshot(0);
    expect(count).toBe(MAX_KEPT_ANSWERS + 20);
    expect(answers).toHaveLength(MAX_KEPT_ANSWERS);
    expect([answers[0], answers.at(-1)]).toEqual([
      { number: 21, value: 21 },
      { number: MAX_KEPT_ANSWERS + 20, value: MAX_KEPT_ANSWERS + 20 },
    ]);
  });

  it('have a rate over the last two seconds only', () => {
    const log = new AnswerLog();
    expect(log.snapshot(0).rate).toBeUndefined();
    for (let at = 100; at <= 3_000; at += 100) {
      log.add(at);
      expect(log.snapshot(at).rate).toBeCloseTo(10);
    }
    for (let at = 3_100; at <= 6_000; at += 100) log.snapshot(at);
    expect(log.snapshot(6_100).rate).toBe(0);
  });
});
