import { describe, expect, it } from 'vitest';
import { capturedOptions, optionOf, sourceOf } from './captured-options.ts';

const captured = [
  { api: 'core:component:sensor', name: 'tank', methods: ['Readings'] },
  { api: 'core:component:motor', name: 'left', methods: ['Position', 'IsPowered'] },
  { api: 'core:component:board', name: 'bench', methods: [] },
];

describe('a captured method as an option', () => {
  it('is written as in a trigger', () => {
    expect(capturedOptions(captured)).toEqual([
      { value: 'sensor:tank:Readings', label: 'tank · Readings', detail: 'sensor' },
      { value: 'motor:left:Position', label: 'left · Position', detail: 'motor' },
      { value: 'motor:left:IsPowered', label: 'left · IsPowered', detail: 'motor' },
    ]);
    const twins = capturedOptions([...captured, { api: 'acme:component:sensor', name: 'tank', methods: ['Readings'] }]);
    expect(twins.map(({ value }) => value)).toContain('acme:component:sensor:tank:Readings');
  });

  it('is found however its type is spelled', () => {
    const options = capturedOptions(captured);
    expect(optionOf('rdk:component:sensor:tank:Readings', options)).toBe('sensor:tank:Readings');
    expect(optionOf('sensor:tank:Readings', options)).toBe('sensor:tank:Readings');
    expect(optionOf('sensor:other:Readings', options)).toBe('sensor:other:Readings');
    expect(optionOf('', options)).toBe('');
  });

  it('says where its readings are stored', () => {
    const source = { partId: 'p', componentName: 'tank', methodName: 'Readings' };
    expect(sourceOf('sensor:tank:Readings', 'p', captured)).toEqual({
      ...source,
      componentType: 'core:component:sensor',
    });
    expect(sourceOf('sensor:gone:Readings', 'p', captured)).toMatchObject({ componentType: 'sensor' });
    expect(sourceOf('Readings', 'p', captured)).toBeUndefined();
    expect(sourceOf('sensor:tank:Readings', '', captured)).toBeUndefined();
  });
});
