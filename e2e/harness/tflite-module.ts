import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';

const source = path.resolve(import.meta.dirname, '../../src-main/modules/tflite');
/** Kept between runs, because it installs much. */
const folder = path.resolve(import.meta.dirname, '../../node_modules/.cache/armature/tflite-module');
const INSTALL_LIMIT_MS = 180_000;

/** The TensorFlow Lite module after a user copied its folder and ran its setup. */
export interface TfliteModule {
  readonly folder: string;
  /** The program that a machine starts. */
  readonly executable: string;
  /** Python of its environment. */
  readonly python: string;
  /** Why it cannot run here; undefined if it can. */
  readonly whyNot: string | undefined;
}

/** Copies the module and runs its setup, which does nothing if the environment is complete. */
export function tfliteModule(): TfliteModule {
  mkdirSync(folder, { recursive: true });
  cpSync(source, folder, { recursive: true, filter: (name) => !/[/\\](\.venv|dist|__pycache__)$/.test(name) });
  const { status, stderr, error } = spawnSync(path.join(folder, 'setup.sh'), [], {
    encoding: 'utf8',
    timeout: INSTALL_LIMIT_MS,
  });
  const whyNot = status === 0 ? undefined : (error?.message ?? stderr.trim().split('\n').at(-1) ?? 'no reason given');
  return { folder, executable: path.join(folder, 'run.sh'), python: path.join(folder, '.venv/bin/python'), whyNot };
}
