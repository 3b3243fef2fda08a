import { MODULE_PLATFORMS } from '../../../proto/config/module-platforms.ts';
import { nearest } from '../../../proto/config/nearest.ts';
import { badArgument } from './module-io.ts';

/** @throws {ArmatureError} `call.bad_argument` for what is no platform of packages */
export function checkPlatform(platform: string): void {
  if ((MODULE_PLATFORMS as readonly string[]).includes(platform)) return;
  const guess = nearest(platform, MODULE_PLATFORMS);
  const hint = guess === undefined ? '' : ` (did you mean ${guess}?)`;
  throw badArgument(`--platform is "${platform}"${hint}; there are ${MODULE_PLATFORMS.join(', ')}.`);
}
