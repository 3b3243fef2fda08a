import { describe, expect, it } from 'vitest';
import { addressOf, MAX_COMPARED, readAddress, type TrainPlace } from './train-address.ts';

const nowhere: TrainPlace = { jobId: '', group: 'all', text: '', compared: [] };

describe('addresses of the Train screen', () => {
  it('have only what was chosen, and are read back', () => {
    expect(addressOf(nowhere)).toEqual({ name: 'train', params: {}, query: {} });
    const place: TrainPlace = { jobId: 'j1', group: 'failed', text: 'bolts 2', compared: ['a', 'b'] };
    const address = addressOf(place);
    expect(address).toEqual({
      name: 'train',
      params: { job: 'j1' },
      query: { status: 'failed', text: 'bolts 2', compare: 'a,b' },
    });
    expect(readAddress({ job: 'j1' }, { status: 'failed', text: 'bolts 2', compare: 'a,b' })).toEqual(place);
  });

  it('are read as far as they are valid', () => {
    expect(readAddress({}, { status: 'dead', compare: ',a,,a,' })).toEqual({ ...nowhere, compared: ['a'] });
    const many = Array.from({ length: 20 }, (_, index) => `j${index}`).join(',');
    expect(readAddress({}, { compare: many }).compared).toHaveLength(MAX_COMPARED);
  });
});
