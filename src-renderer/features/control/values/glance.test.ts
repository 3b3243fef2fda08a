import { describe, expect, it } from 'vitest';
import { GetReadingsResponse } from '../../../../proto/gen/core/common/v1/common.ts';
import { createTexts } from '../../../shared/text.ts';
import { boardGlances } from '../board/glance.ts';
import { decimals, MAX_GLANCE_VALUES } from './glance.ts';
import { motorGlances } from '../motor/glance.ts';
import { sensorGlances } from '../sensor/glance.ts';

const t = createTexts();

describe('a resource at a glance', () => {
  it('is a value with its unit', () => {
    const glances = motorGlances(t, {});
    expect(glances.map(({ method }) => method.name)).toEqual(['IsPowered', 'GetPosition']);
    expect(glances[1]?.valuesOf({ position: -1.25 })).toEqual([{ label: 'position', value: '−1.3', unit: 'rev' }]);
  });

  it('has a true minus and no minus zero', () => {
    expect([decimals(-0.001, 2), decimals(-1.25, 1), decimals(1234.5, 1)]).toEqual(['0.00', '−1.3', '1234.5']);
  });

  it('of a board is its first analogs and interrupts, also where attributes are invalid', () => {
    const attributes = {
      analogs: [{ name: 'pot' }, 7, null, { pin: '1' }],
      digital_interrupts: Array.from({ length: 9 }, (_, index) => ({ name: `i${index}` })),
    };
    const asked = boardGlances(t, attributes).map(({ request }) => Object.values(request)[0] as unknown);
    expect(asked).toEqual(['pot', 'i0', 'i1', 'i2']);
    expect(asked).toHaveLength(MAX_GLANCE_VALUES);
  });

  it('of a sensor is its plain readings', () => {
    const readings = { celsius: 21.456, state: 'on', nested: { a: 1 }, list: [1], none: null };
    const [glance] = sensorGlances(t, {});
    const values = glance?.valuesOf(GetReadingsResponse.fromPartial({ readings }));
    expect(values?.map(({ value }) => value)).toEqual(['21.46', 'on']);
  });
});
