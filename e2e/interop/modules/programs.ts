import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { grpcio, pythonWith, viamSdk } from '../../harness/python-environment.ts';

const repository = path.resolve(import.meta.dirname, '../../..');

/** A module written without our SDK: on plain grpc-js, on the public Python SDK, on Python's grpcio. */
export type ModuleKind = 'node-grpc' | 'python-sdk' | 'python-grpc';

/** Its `module_id`. */
export const moduleIds: Readonly<Record<ModuleKind, string>> = {
  'node-grpc': 'acme:bare',
  'python-sdk': 'acme:pysdk',
  'python-grpc': 'acme:pygrpc',
};

/** A module's folder as its author would ship it: `meta.json` and a program. */
export interface ModuleProgram {
  readonly executable: string;
  /** The reason why it cannot run here. */
  readonly whyNot: string | undefined;
}

let compiled: Buffer | undefined;

/** A serialized FileDescriptorSet of the `.proto` files of the module on plain grpc-js. */
function wireOfNode(): Buffer {
  compiled ??= compile();
  return compiled;
}

function compile(): Buffer {
  const buf = path.join(path.dirname(createRequire(import.meta.url).resolve('@bufbuild/buf/package.json')), 'bin/buf');
  const proto = path.relative(repository, path.join(import.meta.dirname, 'node-grpc/proto'));
  const config = JSON.stringify({ version: 'v2', modules: [{ path: proto }] });
  const options = ['build', '--config', config, '--as-file-descriptor-set', '--exclude-source-info'];
  return execFileSync(process.execPath, [buf, ...options, '-o', '-#format=binpb'], { cwd: repository });
}

/**
 * Writes the folder of a module into `folder`, which must be separate: two modules never share a program.
 * @param family another `module_id`, which the models of `node-grpc` then begin with
 */
export async function moduleProgram(
  kind: ModuleKind,
  folder: string,
  family: string = moduleIds[kind],
): Promise<ModuleProgram> {
  const source = path.join(import.meta.dirname, kind);
  await mkdir(folder, { recursive: true });
  await copyFile(path.join(source, 'meta.json'), path.join(folder, 'meta.json'));
  const executable = path.join(folder, 'run.sh');
  let whyNot: string | undefined;
  let lines: readonly string[];
  if (kind === 'node-grpc') {
    const wire = path.join(folder, 'wire.binpb');
    await writeFile(wire, wireOfNode());
    lines = [
      `export WIRE='${wire}' FAMILY='${family}'`,
      `exec '${process.execPath}' '${path.join(source, 'module.ts')}' "$@"`,
    ];
  } else {
    const environment = kind === 'python-sdk' ? pythonWith(viamSdk) : pythonWith(...grpcio);
    ({ whyNot } = environment);
    lines = [`exec '${environment.python}' '${path.join(source, 'module.py')}' "$@"`];
  }
  await writeFile(executable, `${['#!/bin/sh', ...lines].join('\n')}\n`);
  await chmod(executable, 0o755);
  return { executable, whyNot };
}
