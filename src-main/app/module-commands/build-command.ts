import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { ArmatureError } from '../../base/errors.ts';
import { environmentEntries } from '../../base/dialect.ts';
import { packFolder } from './archive.ts';
import { bundleModule } from './bundle.ts';
import { readMeta, type ModuleMeta } from './module-meta.ts';
import { readCommandLine, type ModuleIo } from './module-io.ts';
import { checkPlatform } from './platform.ts';

/** What a build has made. */
export interface BuiltModule {
  readonly meta: ModuleMeta;
  readonly archive: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** The program on this computer, for `executable_path`; undefined where only an archive was made. */
  readonly program: string | undefined;
}

/** `armature module build`: a package as machines and registries take it. */
export async function buildCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, { platform: 'string', json: 'boolean' }, 1);
  const folder = path.resolve(io.cwd, line.positionals[0] ?? '.');
  const platform = line.text('platform');
  if (platform !== undefined) checkPlatform(platform);
  const built = await buildModule(folder, platform, io);
  const { archive, bytes, sha256, program, meta } = built;
  if (line.flag('json')) {
    const told = { module_id: meta.moduleId, archive, bytes, sha256, program: program ?? null };
    io.stdout(`${JSON.stringify(told, null, 2)}\n`);
  } else {
    io.stdout(`built ${path.relative(io.cwd, archive)}  ${bytes.toLocaleString('en')} bytes  sha256 ${sha256}\n`);
    if (program !== undefined) io.stdout(`runs as executable_path ${program}\n`);
  }
  return 0;
}

/**
 * Builds the module in a folder.
 * @param platform given: the archive is for it alone, and has it in its name
 */
export async function buildModule(folder: string, platform: string | undefined, io: ModuleIo): Promise<BuiltModule> {
  const meta = await readMeta(folder);
  const suffix = platform === undefined ? '' : `_${platform.replace('/', '_')}`;
  const archive = path.join(folder, `${meta.name}${suffix}.tar.gz`);
  if (meta.build === undefined) return packBuilt(meta, await bundleModule(folder, meta, io.root), archive);
  await runBuild(folder, meta.build.command, platform, io);
  const made = path.resolve(folder, meta.build.path);
  const found = await stat(made).catch(() => undefined);
  if (found === undefined) {
    throw new ArmatureError(
      'config.invalid',
      `"${meta.build.command}" ran, but there is no ${made}; see build.path in ${meta.file}.`,
    );
  }
  if (found.isDirectory()) return packBuilt(meta, made, archive);
  const sha256 = await sha256Of(made);
  return { meta, archive: made, bytes: found.size, sha256, program: undefined };
}

async function packBuilt(meta: ModuleMeta, folder: string, archive: string): Promise<BuiltModule> {
  const program = path.join(folder, meta.entrypoint);
  try {
    await access(program, constants.X_OK);
  } catch {
    throw new ArmatureError(
      'config.invalid',
      `The entrypoint ${program} is not there or not executable; see entrypoint in ${meta.file}.`,
    );
  }
  const { bytes, sha256 } = await packFolder(folder, archive);
  return { meta, archive, bytes, sha256, program };
}

/** Runs the author's own command; what it prints is passed on. */
async function runBuild(folder: string, command: string, platform: string | undefined, io: ModuleIo): Promise<void> {
  const [os = '', architecture = ''] = platform?.split('/') ?? [];
  const child = spawn(command, {
    cwd: folder,
    shell: true,
    env: { ...io.env, ...environmentEntries('BUILD_OS', os), ...environmentEntries('BUILD_ARCH', architecture) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => io.stderr(text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0)
    throw new ArmatureError('config.invalid', `"${command}" ended with ${code ?? 'a signal'}; see what it said above.`);
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
