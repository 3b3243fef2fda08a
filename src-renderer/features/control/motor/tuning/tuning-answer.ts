/** The result of DoCommand `tune`, as the window shows it. Speeds in rpm, powers as shares of full power. */
export interface TuningAnswer {
  readonly gains: Gains;
  readonly closedLoopSec: number;
  readonly maxRpm: number;
  readonly timeConstantSec: number;
  readonly delaySec: number;
  readonly friction: number;
  readonly deadBand: number;
  readonly breakaway: number;
  readonly r2: number;
  readonly rmsErrorRpm: number;
  readonly samples: readonly TuningSample[];
}

/** Gains as in the attribute `control_parameters`. */
export interface Gains {
  readonly p: number;
  readonly i: number;
  readonly d: number;
}

export interface TuningSample {
  readonly sec: number;
  readonly rpm: number;
  readonly modelRpm: number;
  readonly power: number;
}

export type TuningPhase = 'rest' | 'start' | 'step' | 'stop';

export interface TuningProgress {
  readonly phase: TuningPhase;
  readonly direction: 1 | -1;
  /** 0 to 1. */
  readonly share: number;
}

/** Reads the response of `tune`. Throws where it has no samples. */
export function readTuning(answer: Readonly<Record<string, unknown>>): TuningAnswer {
  const tuning = recordOf(answer['tune']);
  const [model, fit] = [recordOf(tuning['model']), recordOf(tuning['fit'])];
  const samples = tuning['samples'];
  if (!Array.isArray(samples)) throw new Error('the machine answered no measurement');
  return {
    gains: gainsOf(tuning['control_parameters']),
    closedLoopSec: numberOf(tuning['closed_loop_sec']),
    maxRpm: numberOf(tuning['max_rpm']),
    timeConstantSec: numberOf(model['time_constant_sec']),
    delaySec: numberOf(model['delay_sec']),
    friction: numberOf(model['friction_pct']),
    deadBand: numberOf(model['dead_band_pct']),
    breakaway: numberOf(model['breakaway_pct']),
    r2: numberOf(fit['r2']),
    rmsErrorRpm: numberOf(fit['rms_error_rpm']),
    samples: samples.map((each: unknown) => {
      const sample = recordOf(each);
      return {
        sec: numberOf(sample['sec']),
        rpm: numberOf(sample['rpm']),
        modelRpm: numberOf(sample['model_rpm']),
        power: numberOf(sample['power']),
      };
    }),
  };
}

/** Reads the response of `get_tuning`; undefined where no measurement runs. */
export function readProgress(answer: Readonly<Record<string, unknown>>): TuningProgress | undefined {
  const { is_running: isRunning, phase, direction, share } = recordOf(answer['get_tuning']);
  if (isRunning !== true || !isPhase(phase)) return undefined;
  return { phase, direction: direction === -1 ? -1 : 1, share: numberOf(share) };
}

/** Reads gains from a configuration; absent ones are 0. */
export function gainsOf(parameters: unknown): Gains {
  const { p, i, d } = recordOf(parameters);
  return { p: numberOf(p), i: numberOf(i), d: numberOf(d) };
}

function isPhase(value: unknown): value is TuningPhase {
  return value === 'rest' || value === 'start' || value === 'step' || value === 'stop';
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
