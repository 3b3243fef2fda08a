import { TickQueue } from './tick-queue.ts';
import type { Board, GpioPin } from './types.ts';
import { badArgument, extraOf, heldTo, inside, nonEmpty } from '../fields.ts';
import { onAbort } from '../../base/async/abort.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { ResourceHandlers } from '../../rpc/service.ts';
import type {
  BoardServiceDefinition,
  StreamTicksRequest,
  StreamTicksResponse,
} from '../../../proto/gen/core/component/board/v1/board.ts';

/** Far above any real PWM; keeps a wrong unit from reaching a driver. */
const HIGHEST_PWM_HZ = 100_000_000;
/** Trailer with the number of ticks that were dropped because the reader was slow. */
export const TICKS_DROPPED_TRAILER = 'armature-ticks-dropped';

function pinOf(board: Board, pin: string): GpioPin {
  return board.gpioPin(nonEmpty.read(pin, board, 'pin'));
}

/**
 * Sends one empty response before the ticks, as the reference does. Its Go client reads the first response and drops it before it hands on
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
  const interrupts = names.map((name) => board.digitalInterrupt(nonEmpty.read(name, board, 'pin_names')));
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

/** The methods with a direct answer: those of pins and interrupts. */
export const boardHandlers: ResourceHandlers<Board, typeof BoardServiceDefinition> = {
  async setGPIO(board, request) {
    await pinOf(board, request.pin).set(request.high, extraOf(request));
    return {};
  },
  async getGPIO(board, request) {
    return { high: await pinOf(board, request.pin).get(extraOf(request)) };
  },
  async setPWM(board, request) {
    const duty = heldTo(board, 'duty_cycle_pct', request.dutyCyclePct, 0, 1);
    await pinOf(board, request.pin).setPwm(duty, extraOf(request));
    return {};
  },
  async pWM(board, request) {
    return { dutyCyclePct: await pinOf(board, request.pin).pwm(extraOf(request)) };
  },
  async setPWMFrequency(board, request) {
    const freqHz = inside(board, 'frequency_hz', Number(request.frequencyHz), 0, HIGHEST_PWM_HZ);
    await pinOf(board, request.pin).setPwmFrequency(freqHz, extraOf(request));
    return {};
  },
  async pWMFrequency(board, request) {
    const freqHz = await pinOf(board, request.pin).pwmFrequency(extraOf(request));
    return { frequencyHz: BigInt(Math.round(freqHz)) };
  },
  async getDigitalInterruptValue(board, request) {
    const name = nonEmpty.read(request.digitalInterruptName, board, 'digital_interrupt_name');
    return { value: BigInt(await board.digitalInterrupt(name).value(extraOf(request))) };
  },
  streamTicks,
};
