import type { MotorTuning, Tuning, TuningPlan } from './motor-tuning.ts';
import { speedAtFullPower } from './tuning-rule.ts';
import { unimplemented, inside } from '../../../../apis/fields.ts';
import type { CallOptions, JsonObject, JsonValue, Resource } from '../../../../apis/resource.ts';
import { ArmatureError } from '../../../../base/errors.ts';
import { tuneLimits } from '../../../../../proto/config/models/motor-tuning.ts';

/** Maximum number of samples in an answer. */
const MAX_SAMPLES = 300;
const RPM = 60;

/**
 * DoCommand of an encoded motor: `{"tune": {power_pct, duration_sec, max_revolutions, closed_loop_sec}}` measures it
 * and proposes `control_parameters`, `{"get_tuning": true}` returns the progress, `{"get_tuned_pid": true}` returns the
 * last result. Throws `call.unimplemented` for anything else.
 */
export async function doTuningCommand(
  motor: Resource,
  tuning: MotorTuning,
  command: JsonObject,
  { signal }: CallOptions,
): Promise<JsonObject> {
  if ('tune' in command) return { tune: answerOf(await tuning.run(planOf(motor, command['tune']), signal)) };
  if ('get_tuning' in command) {
    const { progress } = tuning;
    return { get_tuning: progress === undefined ? { is_running: false } : { is_running: true, ...progress } };
  }
  if (!('get_tuned_pid' in command)) throw unimplemented(motor, 'DoCommand');
  const { last } = tuning;
  if (last !== undefined) return { get_tuned_pid: answerOf(last) };
  throw new ArmatureError(
    'resource.not_ready',
    `Motor "${motor.name}" has not been tuned since it was built. Call DoCommand {"tune": {}} first: the shaft then turns both ways.`,
    { details: { motor: motor.name } },
  );
}

/** DoCommand of a motor without measurements: says what tuning would need. Always throws. */
export function refuseTuning(motor: Resource, command: JsonObject): never {
  if (!['tune', 'get_tuning', 'get_tuned_pid'].some((name) => name in command)) throw unimplemented(motor, 'DoCommand');
  throw new ArmatureError(
    'call.unimplemented',
    `Motor "${motor.name}" cannot be tuned: it has no encoder. Set "encoder" and "ticks_per_rotation" in its attributes.`,
    { details: { motor: motor.name, missing: ['encoder', 'ticks_per_rotation'] } },
  );
}

function planOf(motor: Resource, value: JsonValue | undefined): TuningPlan {
  const options = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  const unknown = Object.keys(options).find((key) => !(key in tuneLimits));
  if (unknown !== undefined) {
    const known = Object.keys(tuneLimits).join(', ');
    throw new ArmatureError('call.bad_argument', `"${motor.name}": tune has no option "${unknown}"; it has ${known}.`, {
      details: { resource: motor.name, argument: unknown },
    });
  }
  const read = (key: keyof typeof tuneLimits): number | undefined => {
    const given = options[key];
    if (given === undefined || given === null) return undefined;
    const { min, max } = tuneLimits[key];
    return inside(motor, `tune.${key}`, typeof given === 'number' ? given : Number.NaN, min, max);
  };
  return {
    power: read('power_pct'),
    durationSec: read('duration_sec') ?? tuneLimits.duration_sec.default,
    maxRevolutions: read('max_revolutions') ?? tuneLimits.max_revolutions.default,
    closedLoopSec: read('closed_loop_sec'),
  };
}

function answerOf(tuning: Tuning): JsonObject {
  const { model, quality, samples, gains } = tuning;
  const every = Math.ceil(samples.length / MAX_SAMPLES);
  return {
    control_parameters: { ...gains },
    rule: 'SIMC PI (Skogestad 2003)',
    closed_loop_sec: to(tuning.closedLoopSec, 4),
    max_rpm: to(speedAtFullPower(model) * RPM, 4),
    model: {
      rpm_per_power: to(model.gain * RPM, 4),
      time_constant_sec: to(model.timeConstantSec, 4),
      delay_sec: to(model.delaySec, 3),
      friction_pct: to(model.friction, 3),
      dead_band_pct: to(model.deadBand, 3),
      breakaway_pct: to(tuning.breakaway, 3),
    },
    fit: { r2: to(quality.r2, 4), rms_error_rpm: to(quality.rmsError * RPM, 3) },
    power_pct: to(tuning.power, 3),
    ticks_per_rotation: tuning.ticksPerRotation,
    farthest_revolutions: to(tuning.farthest, 4),
    ended_revolutions: to(tuning.ended, 4),
    at: new Date(tuning.atMs).toISOString(),
    samples: samples.flatMap(({ sec, count, power }, index) =>
      index % every === 0
        ? [
            {
              sec: to(sec, 6),
              ticks: count,
              rpm: to((tuning.speeds[index] ?? 0) * RPM, 4),
              model_rpm: to((tuning.modelSpeeds[index] ?? 0) * RPM, 4),
              power: to(power, 4),
            },
          ]
        : [],
    ),
  };
}

function to(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
