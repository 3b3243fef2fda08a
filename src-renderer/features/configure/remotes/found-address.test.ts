import { describe, expect, it } from 'vitest';
import { FoundMachine, FoundMachine_Transport } from '../../../../proto/gen/core/network/v1/network.ts';
import { createTexts } from '../../../shared/text.ts';
import { addressOptions, addressTextOf } from './found-address.ts';

const { TLS, CLEAR, UNSPECIFIED } = FoundMachine_Transport;
const found = (machine: Partial<FoundMachine>): FoundMachine =>
  FoundMachine.fromPartial({ name: 'bench-2.hall.armature.local', addresses: ['10.0.0.5'], port: 8080, ...machine });

describe('a machine that was found', () => {
  it.each<[Partial<FoundMachine>, string]>([
    [{ transport: TLS }, 'https://10.0.0.5:8080'],
    [{ transport: CLEAR }, 'http://10.0.0.5:8080'],
    // Without a scheme: the machine uses its default.
    [{ transport: UNSPECIFIED }, '10.0.0.5:8080'],
    [{ transport: TLS, addresses: ['fd00::5', '10.0.0.5'] }, 'https://[fd00::5]:8080'],
    [{ transport: TLS, addresses: ['127.0.0.1'] }, 'http://127.0.0.1:8080'],
    [{ addresses: [] }, ''],
  ])('%j is at %s', (machine, expected) => expect(addressTextOf(found(machine))).toBe(expected));

  it('is offered by its address, with its name and how it is connected to, each address once', () => {
    const machines = [
      found({ transport: TLS }),
      found({ transport: CLEAR, addresses: ['10.0.0.6'], name: 'arm.local' }),
      found({ addresses: ['10.0.0.7'], name: 'cell' }),
      found({ addresses: ['127.0.0.1'], name: 'beside', transport: TLS }),
      found({ transport: TLS, name: 'twin.local' }),
      found({ addresses: [] }),
    ];
    expect(addressOptions(machines, createTexts()).map(({ value, detail, group }) => [value, detail, group])).toEqual([
      ['https://10.0.0.5:8080', 'bench-2 · TLS', 'Found on this network'],
      ['http://10.0.0.6:8080', 'arm · not encrypted', 'Found on this network'],
      ['10.0.0.7:8080', 'cell · encryption unknown', 'Found on this network'],
      ['http://127.0.0.1:8080', 'beside · on this computer', 'Found on this network'],
    ]);
  });
});
