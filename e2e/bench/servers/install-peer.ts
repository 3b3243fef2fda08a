import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { CannotMeasure } from '../measure.ts';

const INSTALL_LIMIT_MS = 180_000;

/**
 * A package that ours is compared with. Outside the repository, because a peer is not a dependency. Kept between runs.
 */
export interface Peer {
  readonly name: string;
  readonly version: string;
  /** A file of the package, whose presence shows that it is installed. */
  readonly file: string;
}

function folderOf({ name, version }: Peer): string {
  return path.join(os.tmpdir(), 'armature-bench-peers', `${name}-${version}`);
}

/** Path of the peer's file, whether it is installed or not. */
export function peerFile(peer: Peer): string {
  return path.join(folderOf(peer), 'node_modules', peer.name, peer.file);
}

/**
 * Installs a peer if it is missing.
 * @throws {CannotMeasure} where it cannot be installed
 */
export async function installPeer(peer: Peer, note: (text: string) => void): Promise<void> {
  if (existsSync(peerFile(peer))) return;
  const [folder, named] = [folderOf(peer), `${peer.name} ${peer.version}`];
  note(`installing ${named} in ${folder}`);
  await mkdir(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts'];
  try {
    await promisify(execFile)('npm', [...args, `${peer.name}@${peer.version}`], { timeout: INSTALL_LIMIT_MS });
  } catch (thrown) {
    const reason = String(thrown).trim().split('\n').at(-1);
    throw new CannotMeasure(`${named} could not be installed: ${reason}`);
  }
}
