import { nextTick, shallowRef } from 'vue';
import { describe, expect, it, vi } from 'vitest';
import { settled } from '../../link/fake-machine.ts';
import type { Card } from './card.ts';
import { useCardComponents } from './card-components.ts';
import FailedCard from './FailedCard.vue';

const MotorCard = { name: 'motor' };

function cardOf(load: () => Promise<{ readonly default: object }>): Card {
  return { apis: [], kind: 'others', isWide: false, component: vi.fn(load) };
}

describe('the code of cards', () => {
  it('is loaded when a card is first listed, and kept', async () => {
    let arrive = (): void => undefined;
    const card = cardOf(() => new Promise((resolve) => (arrive = () => resolve({ default: MotorCard }))));
    const listed = shallowRef<readonly Card[]>([]);
    const componentOf = useCardComponents(() => listed.value);
    expect(card.component).not.toHaveBeenCalled();
    listed.value = [card, card];
    await nextTick();
    expect(componentOf(card)).toBeUndefined();
    arrive();
    await settled();
    expect(componentOf(card)).toBe(MotorCard);
    expect(useCardComponents(() => [card])(card)).toBe(MotorCard);
    expect(card.component).toHaveBeenCalledTimes(1);
  });

  it('is replaced by a card that says so where it cannot be loaded', async () => {
    const card = cardOf(() => Promise.reject(new Error('no such file')));
    const componentOf = useCardComponents(() => [card]);
    await settled();
    expect(componentOf(card)).toBe(FailedCard);
  });
});
