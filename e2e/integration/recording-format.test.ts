import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const text = readFileSync(path.resolve(import.meta.dirname, '../../docs/recordings.md'), 'utf8');
const blockOf = (language: string): string => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(text)?.[1] ?? '';
const hasPandas = spawnSync('python3', ['-c', 'import pandas']).status === 0;

describe('the format of recordings', () => {
  it.skipIf(!hasPandas)('is read by the Python of its document (needs python3 with pandas)', async () => {
    const folder = await temporaryFolder();
    const [program, recording] = [path.join(folder, 'read.py'), path.join(folder, 'bench.recording.ndjson')];
    writeFileSync(program, blockOf('python'));
    writeFileSync(recording, blockOf('json'));
    const printed = execFileSync('python3', [program, recording], { encoding: 'utf8' });
    expect(printed).toMatch(/0\.104 +0\.00\n0\.904 +0\.08/);
    expect(printed).toContain("[(0.81, 'left: SetPower 0.4')]");
  });
});
