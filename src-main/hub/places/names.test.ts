import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf, readAddress } from './address.ts';
import { newId, newLocationId, randomText } from './ids.ts';
import { checkMachineName, checkNamespace, checkTitle, dnsLabelOf, metadataText } from './names.ts';

const machineName = fc.stringMatching(/^[a-zA-Z0-9][-\w]{0,59}$/);

describe('names', () => {
  it('every name of a machine gives a DNS label, and with it an address', () => {
    fc.assert(
      fc.property(machineName, machineName, (machine, part) => {
        const machineLabel = dnsLabelOf(checkMachineName('name', machine));
        expect(machineLabel).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
        const address = { machineLabel, partLabel: dnsLabelOf(part), locationId: newLocationId() };
        const main = addressOf({ ...address, isMain: true });
        const other = addressOf({ ...address, isMain: false });
        expect(main).toMatch(/\.armature\.local$/);
        expect(other.endsWith(`.${main}`)).toBe(true);
        expect(other.length).toBeLessThan(254);
        expect(readAddress(main)).toEqual({ ...address, partLabel: '', isMain: true });
        expect(readAddress(`${other.toUpperCase()}:8080`)).toEqual({ ...address, isMain: false });
      }),
    );
  });

  it.each(['', 'armature.local', 'bench.armature.local', 'a.b.c.d.armature.local', 'bench.l.elsewhere.local'])(
    '%j is no address of a machine',
    (text) => expect(readAddress(text)).toBeUndefined(),
  );

  it.each(['', '-a', '_a', 'a b', 'ä', 'a.b', 'a'.repeat(61), 'a\n', '../a'])('no machine is called %j', (name) => {
    expect(() => checkMachineName('the name of the machine', name)).toThrow(
      expect.objectContaining({ code: 'call.bad_argument', message: expect.stringContaining('letters') as string }),
    );
  });

  it.each(['', '   ', 'a\nb', 'a\u2028b', '\u0007', 'x'.repeat(101)])('no organization is called %j', (name) => {
    expect(() => checkTitle('the name of the organization', name)).toThrow(
      expect.objectContaining({ code: 'call.bad_argument' }),
    );
  });

  it('a title is trimmed', () => {
    expect(checkTitle('name', '  Werkstatt Süd 2 ')).toBe('Werkstatt Süd 2');
  });

  it.each(['A', 'a_b', '-a', 'a-', '', 'a'.repeat(41), 'core', 'rdk', 'viam'])('no namespace is %j', (namespace) => {
    expect(() => checkNamespace(namespace)).toThrow(expect.objectContaining({ code: 'call.bad_argument' }));
  });

  it.each(['acme', 'a', '4c', 'a-b-c', 'a'.repeat(40)])('a namespace may be %j', (namespace) => {
    expect(checkNamespace(namespace)).toBe(namespace);
  });

  it('metadata may have up to 64 KiB of JSON', () => {
    expect(metadataText({ a: 1 })).toBe('{"a":1}');
    expect(metadataText(undefined)).toBe('{}');
    expect(() => metadataText({ a: 'ä'.repeat(40_000) })).toThrow(expect.objectContaining({ code: 'call.too_large' }));
  });

  it('ids have the format of the public ecosystem and do not repeat', () => {
    expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ids = new Set(Array.from({ length: 1_000 }, newLocationId));
    expect(ids.size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9]{9}$/);
    expect(randomText(50)).toMatch(/^[a-z0-9]{50}$/);
  });
});
