import type { ModelType } from '../../../proto/config/model-meta.ts';
import { nameOfFile, type ChosenFile } from './model-upload.ts';

/** The type of a model that a script trains, as packages of scripts name it. */
export function wireTypeOf(type: ModelType): string {
  return type === 'unknown' ? 'unspecified' : type;
}

/** Whether a file is compressed by gzip (RFC 1952), by its first two bytes. */
export async function isGzip(file: Pick<ChosenFile, 'slice'>): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** `my script.v2.tar.gz` as a name: `my_script_v2`. */
export function nameOfArchive(fileName: string): string {
  return nameOfFile(fileName.replace(/\.(tar\.gz|tgz)$/, '.tar'));
}
