import { fullName } from '../../../proto/config/names.ts';
import type { OutputTarget } from './output-claims.ts';
import type { ServerCall } from '../../rpc/call.ts';

/** The DoCommand of a motor that turns it: the others only read. */
const MOTOR_DO_COMMAND = '/core.component.motor.v1.MotorService/DoCommand';

/** The output that a call commands. */
export interface CommandedOutput {
  /** Full name of the resource that is called. */
  readonly resource: string;
  readonly target: OutputTarget;
  /** Equal for all ways of commanding the same output. */
  readonly key: string;
}

/**
 * The output that a call commands: by a monitored method, by a motor's DoCommand `tune`, or by a board's SetGPIO,
 * SetPWM or WriteAnalog. Undefined if it commands none.
 * @param apiOfService API triplet a service serves, or undefined
 */
export function commandedOutput(
  call: ServerCall,
  apiOfService: (service: string) => string | undefined,
): CommandedOutput | undefined {
  const { method } = call;
  const { moves, drives } = method.traits;
  const movesResource = moves === true || (method.path === MOTOR_DO_COMMAND && isTune(call.requestAsJson()));
  const drivenAs = movesResource ? undefined : drives;
  if (!movesResource && drivenAs === undefined) return undefined;
  const api = apiOfService(method.service);
  if (api === undefined) return undefined;
  const resource = fullName(api, call.resourceName);
  if (drivenAs === undefined) return { resource, target: { kind: 'resource', resource }, key: resource };
  const pin = pinOf(call.requestAsJson());
  // An analog writer and a pin may share a name; a level and a duty are the same wire.
  const key = `${resource}\n${drivenAs === 'analog' ? 'analog' : 'pin'}\n${pin}`;
  return { resource, target: { kind: 'pin', board: resource, pin, drivenAs }, key };
}

function pinOf(request: unknown): string {
  const pin = (request as { readonly pin?: unknown } | null | undefined)?.pin;
  return typeof pin === 'string' ? pin : '';
}

function isTune(request: unknown): boolean {
  const command = (request as { readonly command?: unknown } | null | undefined)?.command;
  return typeof command === 'object' && command !== null && 'tune' in command;
}
