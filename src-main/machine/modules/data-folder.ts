import path from 'node:path';

/**
 * Where a module keeps what is to outlast its versions (wire contract 3.1).
 * @param partId '' for a machine of no hub
 */
export function dataFolderOf(home: string, partId: string, module: string): string {
  return path.join(home, 'module-data', partId === '' ? 'local' : partId.replace(/[^\w-]/g, '_'), module);
}
