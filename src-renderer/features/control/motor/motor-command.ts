/** What a motor card was asked to do. Speed in rpm, distance in revolutions. */
export type MotorAction =
  | { readonly kind: 'for' | 'to'; readonly revolutions: number; readonly rpm: number }
  | { readonly kind: 'speed'; readonly rpm: number }
  | { readonly kind: 'zero' | 'stop' };

/**
 * How far a command is. `accepted`: the machine answered, or the motor was seen
 * to move; `ended`: something else stopped it or took its place.
 */
export type CommandPhase = 'sent' | 'accepted' | 'done' | 'ended' | 'failed';

export interface MotorCommand {
  readonly action: MotorAction;
  readonly phase: CommandPhase;
  /** Of this page, ms. */
  readonly sentAt: number;
  readonly acceptedAt?: number;
  /** When it was done, ended or failed. */
  readonly endedAt?: number;
  /** Why it failed. */
  readonly reason?: string;
  /** Speed it asks for, signed, rpm; 0 for what does not move. */
  readonly signedRpm: number;
}

/** Whether the motor is to follow the command now. */
export function isInForce(command: MotorCommand | undefined): command is MotorCommand {
  return command !== undefined && (command.phase === 'sent' || command.phase === 'accepted');
}

/**
 * The direction is in the sign: of GoFor it is backward if exactly one of its numbers is negative,
 * of GoTo it is where the position lies.
 */
export function signedRpmOf(action: MotorAction, position: number | undefined): number {
  switch (action.kind) {
    case 'for':
      return Math.abs(action.rpm) * Math.sign(action.rpm * action.revolutions);
    case 'to':
      return Math.abs(action.rpm) * Math.sign(action.revolutions - (position ?? 0));
    case 'speed':
      return action.rpm;
    case 'zero':
    case 'stop':
      return 0;
  }
}

/** What a motor is told, as far as this page can know. */
export interface Commanded {
  /** Undefined where it is told a power, and what speed that is is not known. */
  readonly rpm: number | undefined;
  /** Whether somebody else told it. */
  readonly isElsewhere: boolean;
}

/** Power that a motor is taken to run at. */
const runningPower = 0.005;

/**
 * What the motor follows: a command of this page; else the power it has, which
 * is a speed where the motor's greatest is known.
 * @param isOurs whether this page had a part in that power just now
 */
export function commandedNow(
  command: MotorCommand | undefined,
  power: number | undefined,
  maxRpm: number | undefined,
  isOurs: boolean,
): Commanded {
  if (isInForce(command)) return { rpm: command.signedRpm, isElsewhere: false };
  if (power === undefined || Math.abs(power) < runningPower) return { rpm: 0, isElsewhere: false };
  return { rpm: maxRpm === undefined ? undefined : power * maxRpm, isElsewhere: !isOurs };
}
