/** A command of a motor card. Speed in rpm, distance in revolutions. */
export type MotorAction =
  | { readonly kind: 'for' | 'to'; readonly revolutions: number; readonly rpm: number }
  | { readonly kind: 'speed'; readonly rpm: number }
  | { readonly kind: 'zero' | 'stop' };

/**
 * The phase of a command. `accepted`: the machine answered, or the motor was seen to move; `ended`: it was stopped or
 * replaced by another command.
 */
export type CommandPhase = 'sent' | 'accepted' | 'done' | 'ended' | 'failed';

export interface MotorCommand {
  readonly action: MotorAction;
  readonly phase: CommandPhase;
  /** By the clock of this page, ms. */
  readonly sentAt: number;
  readonly acceptedAt?: number;
  /** When it was done, ended or failed. */
  readonly endedAt?: number;
  /** Why it failed. */
  readonly reason?: string;
  /** Commanded speed with its direction as sign, rpm; 0 for commands that do not move. */
  readonly signedRpm: number;
}

/** Whether the motor is to follow the command now: it is sent or accepted, and not over. */
export function isInForce(command: MotorCommand | undefined): command is MotorCommand {
  return command !== undefined && (command.phase === 'sent' || command.phase === 'accepted');
}

/**
 * The commanded speed with its direction as sign. GoFor runs backward if exactly one of its numbers is negative; GoTo
 * runs towards the target position.
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

/** The speed that a motor is commanded to, as far as this page can know. */
export interface CommandedSpeed {
  /** Undefined where a power is commanded whose speed is not known. */
  readonly rpm: number | undefined;
  /** Whether another client commands it. */
  readonly isFromOther: boolean;
}

/** With less power a motor counts as not running. */
const MIN_RUNNING_POWER = 0.005;

/**
 * The speed that a motor is commanded to: that of this page's active command, else its current power times its maximum
 * speed.
 * @param maxRpm speed at full power; undefined where it is not known
 * @param isOurs whether this page may have caused the current power
 */
export function commandedNow(
  command: MotorCommand | undefined,
  power: number | undefined,
  maxRpm: number | undefined,
  isOurs: boolean,
): CommandedSpeed {
  if (isInForce(command)) return { rpm: command.signedRpm, isFromOther: false };
  if (power === undefined || Math.abs(power) < MIN_RUNNING_POWER) return { rpm: 0, isFromOther: false };
  return { rpm: maxRpm === undefined ? undefined : power * maxRpm, isFromOther: !isOurs };
}
