import { describe, expect, it } from 'vitest';
import { BoardServiceDefinition } from '../../../proto/gen/core/component/board/v1/board.ts';
import { poll, valueOf } from './poll.ts';

const { getGPIO, readAnalogReader } = BoardServiceDefinition.methods;

describe('a poll', () => {
  it('puts the short name of the resource into the field that the method has for it', () => {
    const common = { id: 'pot', resource: 'core:component:board/bench', frequencyHz: 5 };
    const { request } = poll({ ...common, method: readAnalogReader, request: { analogReaderName: 'pot' } });
    expect(readAnalogReader.requestType.decode(request)).toMatchObject({ boardName: 'bench', analogReaderName: 'pot' });
  });

  it('is read only as an answer of the method that was asked', () => {
    const reading = { method: getGPIO, value: { high: true } };
    expect(valueOf(reading, getGPIO)?.high).toBe(true);
    expect(valueOf(reading, readAnalogReader)).toBeUndefined();
    expect(valueOf({ method: getGPIO, value: undefined }, getGPIO)).toBeUndefined();
    expect(valueOf(undefined, getGPIO)).toBeUndefined();
  });
});
