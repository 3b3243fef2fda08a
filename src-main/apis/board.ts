import type { Board, PowerMode } from './board/types.ts';
import { defineApi, type ResourceApi } from './api.ts';
import { BoardClient } from './board/board-client.ts';
import { boardHandlers } from './board/board-handlers.ts';
import { inside, nonEmpty, oneOf, optional, within, type Field } from './fields.ts';
import { methodsOf } from './method.ts';
import { BoardServiceDefinition, PowerMode as WirePowerMode } from '../../proto/gen/core/component/board/v1/board.ts';
import type { Duration } from '../../proto/gen/google/protobuf/duration.ts';

export type * from './board/types.ts';

const { call, read } = methodsOf(BoardServiceDefinition);

const powerMode = oneOf<PowerMode>(
  { normal: WirePowerMode.NORMAL, 'offline-deep': WirePowerMode.OFFLINE_DEEP },
  'NORMAL (1) or OFFLINE_DEEP (2)',
);
const milliseconds: Field<number, Duration> = {
  write: (ms) => ({ seconds: BigInt(Math.trunc(ms / 1_000)), nanos: Math.round((ms % 1_000) * 1e6) }),
  read: ({ seconds, nanos }, ...where) =>
    inside(...where, Number(seconds) * 1_000 + nanos / 1_000_000, 0, Number.MAX_SAFE_INTEGER),
};

/** @internal */
export const boardApi: ResourceApi<Board, typeof BoardServiceDefinition> = defineApi({
  api: 'core:component:board',
  service: BoardServiceDefinition,
  methods: {
    readAnalog: read(
      'readAnalogReader',
      { value: 'value', min: 'minRange', max: 'maxRange', step: 'stepSize' },
      { analogReaderName: nonEmpty },
      { nameKey: 'boardName' },
    ),
    writeAnalog: call('writeAnalog', { pin: nonEmpty, value: within(-(2 ** 31), 2 ** 31 - 1) }),
    setPowerMode: call('setPowerMode', { powerMode, duration: optional(milliseconds) }),
  },
  beyond: {
    handlers: boardHandlers,
    readings: ['getGPIO', 'pWM', 'pWMFrequency', 'getDigitalInterruptValue'],
    client: (endpoint) => new BoardClient(endpoint),
  },
});
