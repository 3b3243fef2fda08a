import {
  DataType,
  MimeType,
  SensorData,
  type UploadMetadata,
} from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { encodeMessage } from '../../../../proto/message.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../../rpc/service.ts';
import type { DataHub } from '../sync/data-hub.ts';

/** What readings of a sensor have in common. */
export function metadataNamed(componentName: string, type: DataType = DataType.TABULAR_SENSOR): UploadMetadata {
  return {
    partId: '',
    componentType: 'core:component:sensor',
    componentName,
    methodName: 'Readings',
    type,
    fileName: '',
    methodParameters: {},
    fileExtension: '.dat',
    tags: [],
    datasetIds: [],
    mimeType: '',
    fileCreateTime: undefined,
    fileModifyTime: undefined,
  };
}

/** A reading `{"readings": {"value": ...}}`, or binary data. */
export function reading(value: number | Uint8Array): Uint8Array {
  const metadata = {
    timeRequested: new Date(0),
    timeReceived: new Date(0),
    mimeType: MimeType.UNSPECIFIED,
    annotations: undefined,
  };
  const data =
    typeof value === 'number'
      ? ({ $case: 'struct', value: { readings: { value } } } as const)
      : ({ $case: 'binary', value } as const);
  return encodeMessage(SensorData, { metadata, data });
}

/** One call received by a {@link FakeDataHub}. */
export interface Received {
  readonly method: string;
  readonly uploadId: string;
  readonly requests: readonly unknown[];
}

/** A hub that stores what it receives; it may be offline, or refuse. */
export class FakeDataHub implements DataHub {
  readonly partId = 'part';
  readonly received: Received[] = [];
  readonly #changed = new Emitter();
  /** The error of a call, thrown before the call is counted as received. */
  refuse: (call: Received) => Error | undefined = () => undefined;
  /** Every call waits for it. */
  hold: Promise<void> = Promise.resolve();
  atOnce = 0;
  mostAtOnce = 0;
  #isConnected = true;

  get isConnected(): boolean {
    return this.#isConnected;
  }

  set isConnected(is: boolean) {
    this.#isConnected = is;
    this.#changed.emit();
  }

  onChange(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    _service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    _timeoutMs?: number,
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    return this.#take(method, [request], metadata);
  }

  async send<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    _service: D,
    method: K,
    requests: () => AsyncIterable<RequestOf<D['methods'][K]>> | Iterable<RequestOf<D['methods'][K]>>,
    _timeoutMs: number,
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    const all: unknown[] = [];
    for await (const request of requests()) all.push(request);
    return this.#take(method, all, metadata);
  }

  async #take<T>(method: string, requests: readonly unknown[], metadata: Readonly<Record<string, string>>): Promise<T> {
    const call = { method, requests, uploadId: metadata['upload-id'] ?? '' };
    if (!this.#isConnected) throw new ArmatureError('hub.unreachable', 'it is away');
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
    try {
      await this.hold;
      const refusal = this.refuse(call);
      if (refusal !== undefined) throw refusal;
      this.received.push(call);
      return { fileId: 'f', binaryDataId: 'b' } as T;
    } finally {
      this.atOnce--;
    }
  }
}
