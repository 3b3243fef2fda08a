import { nearest } from '../../../proto/config/nearest.ts';
import { badArgument } from './module-io.ts';

/** As the field writes platforms (wire contract 5.3). */
export const platforms: readonly string[] = [
  'any',
  'any/amd64',
  'any/arm64',
  'linux/any',
  'linux/amd64',
  'linux/arm64',
  'linux/arm32v7',
  'linux/arm32v6',
  'darwin/any',
  'darwin/amd64',
  'darwin/arm64',
  'windows/amd64',
];

/** @throws {ArmatureError} `call.bad_argument` */
export function checkPlatform(platform: string): void {
  if (platforms.includes(platform)) return;
  const guess = nearest(platform, platforms);
  const hint = guess === undefined ? '' : ` (did you mean ${guess}?)`;
  throw badArgument(`--platform is "${platform}"${hint}; there are ${platforms.join(', ')}.`);
}
