import { describe, expect, it } from 'vitest';
import type { Card } from './card.ts';
import { cardFor } from './cards.ts';

const files = import.meta.glob<Card>('./*/card.ts', { eager: true, import: 'default' });
const apis = Object.values(files).flatMap((card) => card.apis.map((api) => ({ api, card })));

describe('the cards', () => {
  it('come from the folders, one for each API', () => {
    expect(apis.length).toBeGreaterThan(5);
    expect(apis.filter(({ api, card }) => cardFor(api) !== card)).toEqual([]);
  });

  it('name the definition of their own API', async () => {
    for (const { api, card } of apis) {
      const [, , subtype = ''] = api.split(':');
      expect((await card.service?.())?.fullName ?? subtype).toContain(subtype.replaceAll('_', ''));
    }
  });

  it('include a generic one for the API of a module', () => {
    expect(cardFor('acme:component:wheel')).toMatchObject({ apis: [], kind: 'others' });
  });
});
