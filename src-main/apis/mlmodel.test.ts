import { describe, expect, it } from 'vitest';
import { mlmodelApi, type MlModel } from './mlmodel.ts';
import type { Tensor, Tensors } from '../inference/tensor.ts';
import { ManualClock } from '../base/clock.ts';
import { ArmatureError } from '../base/errors.ts';
import { silentLogger } from '../base/logger.ts';
import { CallRouter } from '../rpc/routing/call-router.ts';
import { localConnection } from '../rpc/routing/local-call.ts';
import { FlatTensors, type FlatTensor } from '../../proto/gen/core/service/mlmodel/v1/mlmodel.ts';

const clock = new ManualClock();

/** A model in another process that answers with its input. */
function echoingModel(): MlModel {
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: 1 << 20 });
  const echo = { name: 'echo', infer: (inputs: Tensors) => Promise.resolve(inputs) } as MlModel;
  router.addResourceService(mlmodelApi.service, mlmodelApi.handlers, () => ({ kind: 'local', resource: echo }));
  const connection = localConnection('test');
  return mlmodelApi.client({
    name: 'echo',
    start: (path, metadata, timeoutMs, responder) => router.start({ path, metadata, timeoutMs, connection }, responder),
    codes: { unreachable: 'peer.unreachable', refused: 'peer.unreachable' },
    clock,
    closed: new AbortController().signal,
  });
}

describe('tensors on the wire', () => {
  it('come back as they went, of every type, at the ends of what it holds', async () => {
    const shape = [1, 2];
    const tensors = new Map<string, Tensor>([
      ['a', { type: 'int8', shape, data: Int8Array.of(-128, 127) }],
      ['b', { type: 'uint8', shape, data: Uint8Array.of(0, 255) }],
      ['c', { type: 'int16', shape, data: Int16Array.of(-32_768, 32_767) }],
      ['d', { type: 'uint16', shape, data: Uint16Array.of(0, 65_535) }],
      ['e', { type: 'int32', shape, data: Int32Array.of(-(2 ** 31), 2 ** 31 - 1) }],
      ['f', { type: 'uint32', shape, data: Uint32Array.of(0, 2 ** 32 - 1) }],
      ['g', { type: 'int64', shape, data: BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n) }],
      ['h', { type: 'uint64', shape, data: BigUint64Array.of(0n, 2n ** 64n - 1n) }],
      ['i', { type: 'float32', shape, data: Float32Array.of(-1.5, Infinity) }],
      ['j', { type: 'float64', shape, data: Float64Array.of(Number.MIN_VALUE, Number.MAX_VALUE) }],
      ['none', { type: 'float32', shape: [0, 4], data: Float32Array.of() }],
      ['one', { type: 'int64', shape: [], data: BigInt64Array.of(7n) }],
    ]);
    const answer = await echoingModel().infer(tensors);
    // The bytes are in the buffer that the message was read into.
    const plain = (of: Tensors) => [...of].map(([name, { data, ...tensor }]) => [name, tensor, [...data]]);
    expect(plain(answer)).toEqual(plain(tensors));
  });

  it.each<[unknown, string]>([
    [{ shape: [2n], tensor: { $case: 'int8Tensor', value: { data: Uint8Array.of(1) } } }, '1; allowed is 2'],
    [{ shape: [2n ** 40n], tensor: { $case: 'int32Tensor', value: { data: [] } } }, 'sizes below 2^31'],
    [{ shape: [1n] }, 'a tensor of a known type'],
  ])('are refused by name where shape and elements do not fit: %#', async (tensor, words) => {
    const inputTensors = FlatTensors.fromPartial({ tensors: { picture: tensor as FlatTensor } });
    const infer = mlmodelApi.handlers.infer as (...given: unknown[]) => Promise<unknown>;
    const never = { name: 'm', infer: () => Promise.reject(new Error('it was asked')) };
    const refused = infer(never, { name: 'm', inputTensors }, { signal: new AbortController().signal });
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArmatureError);
    expect((error as ArmatureError).code).toBe('call.bad_argument');
    expect((error as ArmatureError).message).toContain('input_tensors["picture"]');
    expect((error as ArmatureError).message).toContain(words);
  });
});
