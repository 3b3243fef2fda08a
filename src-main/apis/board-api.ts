import { defineApi } from './api.ts';
import { badArgument, clamped, extraOf, nonEmpty, unimplemented, within } from './arguments.ts';
import { BoardClient } from './board-client.ts';
import type { Board, GpioPin, PowerMode } from './board.ts';
import { componentHandlers } from './common-handlers.ts';
import { TickQueue } from './tick-queue.ts';
import { onAbort } from '../base/abort.ts';
import { ArmatureError } from '../base/errors.ts';
import type { ServerCall } from '../rpc/call.ts';
import {
  BoardServiceDefinition,
  PowerMode as WirePowerMode,
  type StreamTicksRequest,
  type StreamTicksResponse,
} from '../../proto/gen/core/component/board/v1/board.ts';

/** Far above any PWM there is; keeps a wrong unit from reaching a driver. */
const HIGHEST_PWM_HZ = 100_000_000;
const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;
/** Trailer that tells how many ticks a slow reader lost. */
export const TICKS_DROPPED_TRAILER = 'armature-ticks-dropped';

function pinOf(board: Board, pin: string): GpioPin {
  return board.gpioPin(nonEmpty(board, 'pin', pin));
}

function powerModeOf(board: Board, mode: WirePowerMode): PowerMode {
  if (mode === WirePowerMode.NORMAL) return 'normal';
  if (mode === WirePowerMode.OFFLINE_DEEP) return 'offline-deep';
  throw badArgument(board, 'power_mode', mode, 'NORMAL (1) or OFFLINE_DEEP (2)');
}

/**
 * Sends one empty response before the ticks, as the reference does (behaviour
 * 8.1). Its Go client reads the first response and drops it before it hands on
 * any (viamrobotics/rdk: components/board/interrupt_stream.go), so without it a
 * tick would be lost. The TypeScript SDK 0.61.1 hands every response on, this
 * one as a tick with an empty pin name; readers skip it. Ends with
 * `resource.not_ready` when the board is closed: its ticks would never come.
 */
async function* streamTicks(
  board: Board,
  request: StreamTicksRequest,
  call: ServerCall,
): AsyncGenerator<StreamTicksResponse> {
  const names = [...new Set(request.pinNames)];
  if (names.length === 0) throw badArgument(board, 'pin_names', '', 'at least one digital interrupt');
  const interrupts = names.map((name) => board.digitalInterrupt(nonEmpty(board, 'pin_names', name)));
  const queue = new TickQueue();
  const endings: (() => void)[] = [];
  const end = (): void => queue.end();
  endings.push(onAbort(call.signal, end), onAbort(board.closed, end));
  try {
    for (const interrupt of interrupts) endings.push(interrupt.onTick((tick) => queue.push(tick)));
    yield { pinName: '', time: 0n, high: false };
    for await (const tick of queue) {
      call.trailers[TICKS_DROPPED_TRAILER] = String(queue.dropped);
      yield { pinName: tick.interrupt, time: tick.timeNs, high: tick.isHigh };
    }
    if (board.closed.aborted) {
      throw new ArmatureError(
        'resource.not_ready',
        `Board "${board.name}" was closed, so its ticks have ended; call StreamTicks again when it is ready.`,
      );
    }
  } finally {
    for (const ending of endings) ending();
  }
}

/** How boards are served (wire contract 4.2, BoardService). */
export const boardApi = defineApi<Board, typeof BoardServiceDefinition>({
  api: 'core:component:board',
  service: BoardServiceDefinition,
  isActuator: false,
  client: (place) => new BoardClient(place),
  handlers: {
    ...componentHandlers,
    async setGPIO(board, request) {
      await pinOf(board, request.pin).set(request.high, extraOf(request));
      return {};
    },
    async getGPIO(board, request) {
      return { high: await pinOf(board, request.pin).get(extraOf(request)) };
    },
    async setPWM(board, request) {
      const duty = clamped(board, 'duty_cycle_pct', request.dutyCyclePct, 0, 1);
      await pinOf(board, request.pin).setPwm(duty, extraOf(request));
      return {};
    },
    async pWM(board, request) {
      return { dutyCyclePct: await pinOf(board, request.pin).pwm(extraOf(request)) };
    },
    async setPWMFrequency(board, request) {
      const freqHz = within(board, 'frequency_hz', Number(request.frequencyHz), 0, HIGHEST_PWM_HZ);
      await pinOf(board, request.pin).setPwmFrequency(freqHz, extraOf(request));
      return {};
    },
    async pWMFrequency(board, request) {
      const freqHz = await pinOf(board, request.pin).pwmFrequency(extraOf(request));
      return { frequencyHz: BigInt(Math.round(freqHz)) };
    },
    async readAnalogReader(board, request) {
      const name = nonEmpty(board, 'analog_reader_name', request.analogReaderName);
      const { value, min, max, step } = await board.readAnalog(name, { extra: extraOf(request) });
      return { value, minRange: min, maxRange: max, stepSize: step };
    },
    async writeAnalog(board, request) {
      const pin = nonEmpty(board, 'pin', request.pin);
      const value = within(board, 'value', request.value, INT32_MIN, INT32_MAX);
      await board.writeAnalog(pin, value, { extra: extraOf(request) });
      return {};
    },
    async getDigitalInterruptValue(board, request) {
      const name = nonEmpty(board, 'digital_interrupt_name', request.digitalInterruptName);
      return { value: BigInt(await board.digitalInterrupt(name).value(extraOf(request))) };
    },
    streamTicks,
    async setPowerMode(board, request) {
      if (board.setPowerMode === undefined) throw unimplemented(board, 'SetPowerMode');
      const { duration } = request;
      const durationMs =
        duration === undefined ? undefined : Number(duration.seconds) * 1_000 + duration.nanos / 1_000_000;
      if (durationMs !== undefined) within(board, 'duration', durationMs, 0, Number.MAX_SAFE_INTEGER);
      const mode = powerModeOf(board, request.powerMode);
      await board.setPowerMode(mode, durationMs, { extra: extraOf(request) });
      return {};
    },
  },
});
