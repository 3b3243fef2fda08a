import type { ModelType } from '../../../proto/config/model-meta.ts';
import { nameOfFile, type ChosenFile } from './model-upload.ts';

/** The name that packages of scripts use for the type of model they train. */
export function wireTypeOf(type: ModelType): string {
  return type === 'unknown' ? 'unspecified' : type;
}

/** Whether a file is compressed with gzip (RFC 1952), judged by its first two bytes. */
export async function isGzip(file: Pick<ChosenFile, 'slice'>): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** The name for an archive: `my_script_v2` for `my script.v2.tar.gz`. */
export function nameOfArchive(fileName: string): string {
  return nameOfFile(fileName.replace(/\.(tar\.gz|tgz)$/, '.tar'));
}
