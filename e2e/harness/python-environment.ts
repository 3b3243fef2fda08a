import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';

const cache = path.resolve(import.meta.dirname, '../../node_modules/.cache/armature');
const INSTALL_LIMIT_MS = 100_000;

/** A Python with packages of the public registry, or the reason why there is none. */
export interface PythonEnvironment {
  readonly python: string;
  readonly whyNot: string | undefined;
}

/** The versions that the tests were written for. */
export const viamSdk = 'viam-sdk==0.85.1';
/** With the packages that its client for models needs. */
export const viamSdkWithModels = 'viam-sdk[mlmodel]==0.85.1';
export const grpcio = ['grpcio==1.85.1', 'grpcio-reflection==1.85.1', 'protobuf==7.36.2'];

/**
 * Installs packages into a virtual environment, which is kept between runs. It is named after the first package and its
 * version, so that another version gets another environment.
 */
export function pythonWith(...packages: readonly string[]): PythonEnvironment {
  const [first = ''] = packages;
  const folder = path.join(cache, first.replace('==', '-'));
  const python = path.join(folder, 'bin/python');
  const whole = path.join(folder, 'whole');
  // Written by the last step only, so that an interrupted installation does not count as complete.
  if (existsSync(whole)) return { python, whyNot: undefined };
  rmSync(folder, { recursive: true, force: true });
  const steps: [string, string[]][] = [
    ['python3', ['-m', 'venv', folder]],
    [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]],
    [python, ['-c', `open(${JSON.stringify(whole)}, 'w')`]],
  ];
  for (const [command, args] of steps) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_LIMIT_MS });
    if (status === 0) continue;
    rmSync(folder, { recursive: true, force: true });
    return { python, whyNot: `${first} cannot be installed: ${error?.message ?? stderr.trim().split('\n').at(-1)}` };
  }
  return { python, whyNot: undefined };
}
