import { describe, expect, it } from 'vitest';
import { Delivery_State } from '../../../../proto/gen/core/hub/v1/trigger.ts';
import { createTexts } from '../../../shared/text.ts';
import { stateDetail, stateTone, stateWords } from './delivery-words.ts';

const t = createTexts();
const { DELIVERED, DEAD, QUEUED } = Delivery_State;
const of = (state: Delivery_State, attempts: number, responseStatus = 0, nextTry?: number) => {
  const told = {
    state,
    attempts,
    responseStatus,
    failure: '',
    nextTry: nextTry === undefined ? undefined : new Date(nextTry),
  };
  return [stateWords(told, t), stateTone(told), stateDetail(told, 10_000, t)];
};

describe('the state of a delivery', () => {
  it.each([
    ['delivered at once', of(DELIVERED, 1, 200), ['200', 'ok', '']],
    ['delivered at the third attempt', of(DELIVERED, 3, 204), ['204', 'ok', '3 attempts']],
    ['mail that was taken without a code', of(DELIVERED, 1), ['delivered', 'ok', '']],
    ['not tried yet', of(QUEUED, 0, 0, 10_000), ['waiting', 'info', '']],
    [
      'to be tried again',
      of(QUEUED, 1, 503, 40_000),
      ['trying again', 'warn', '1 attempt · answered 503 · next in 30 s'],
    ],
    ['due now', of(QUEUED, 2, 0, 9_000), ['trying again', 'warn', '2 attempts · next now']],
    ['given up', of(DEAD, 9, 500), ['given up', 'bad', '9 attempts · answered 500']],
  ])('%s', (_what, found, wanted) => expect(found).toEqual(wanted));
});
