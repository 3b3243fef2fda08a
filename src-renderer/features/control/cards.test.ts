import { describe, expect, it } from 'vitest';
import type { Card } from './card.ts';
import { cardFor } from './cards.ts';

const files = import.meta.glob<Card>('./*/card.ts', { eager: true, import: 'default' });
const apis = Object.values(files).flatMap((card) => card.apis.map((api) => ({ api, card })));

describe('the cards', () => {
  it('are those of the folders, one for an API', () => {
    expect(apis.length).toBeGreaterThan(5);
    expect(apis.filter(({ api, card }) => cardFor(api) !== card)).toEqual([]);
  });

  it('name the definition of their own API', async () => {
    for (const { api, card } of apis) {
      const [, , subtype = ''] = api.split(':');
      expect((await card.service?.())?.fullName ?? subtype).toContain(subtype.replaceAll('_', ''));
    }
  });

  it('of an API of a module is one that asks the machine what it can do', () => {
    expect(cardFor('acme:component:wheel')).toMatchObject({ apis: [], kind: 'others' });
  });
});
