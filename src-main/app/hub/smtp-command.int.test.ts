import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { openStore } from '../../hub/storage/open-store.ts';
import { runHubCommand } from './hub-commands.ts';
import { parseHubCommand } from './hub-options.ts';

describe('armature hub smtp', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-smtp-'));
    await (await openStore(folder, silentLogger)).close();
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function run(words: string, password?: string): Promise<string> {
    const args = ['smtp', ...words.split(' ').filter((word) => word !== ''), '--data', folder];
    const command = parseHubCommand(args, password === undefined ? {} : { ARMATURE_SMTP_PASSWORD: password });
    if (command.kind === 'usage-error') return command.text.split('\n')[0] ?? '';
    if (command.kind !== 'smtp') throw new Error(`it is ${command.kind}`);
    return runHubCommand(command, silentLogger);
  }

  it('sets, shows and forgets the mail server, and never shows its password', async () => {
    expect(await run('')).toBe('no mail server\n');
    const set = await run('set --host mail.example.com --sender hub@example.com --user hub', 'open sesame');
    expect(set).toBe('server mail.example.com:587 starttls\nuser hub\npassword set\nsender hub@example.com\n');
    expect(await run('')).toBe(set);
    const authority = path.join(folder, 'ca.pem');
    await writeFile(authority, 'PEM');
    const other = await run(
      `set --host other.example --sender hub@example.com --security tls --authority ${authority}`,
    );
    expect(other).toBe(
      'server other.example:465 tls\nuser none\npassword none\nsender hub@example.com\nauthority its own\n',
    );
    expect(await run('forget')).toBe('no mail is sent any more\n');
    expect(await run('')).toBe('no mail server\n');
  });

  it.each([
    ['set --host mail.example.com', '"smtp set" needs --host and --sender.'],
    ['set --host h --sender a@b --security ssl', '--security is "ssl": allowed are starttls, tls and none.'],
    ['test', '"smtp test" needs the address that gets the mail.'],
    ['test a@example.com b', '"b" does not belong to "smtp test".'],
    ['send', '"smtp" is followed by set, test or forget, or by nothing.'],
  ])('%s is used wrongly', async (words, message) => {
    expect(await run(words)).toBe(message);
  });

  it.each([
    ['set --host mail.example.com --sender hub'],
    ['set --host mail.example.com --sender a@b.example --port 0'],
    ['set --host mail.example.com --sender a@b.example --authority nowhere.pem'],
    ['test ann@example.com'],
  ])('%s fails, in words', async (words) => {
    await expect(run(words)).rejects.toMatchObject({ name: 'ArmatureError' });
  });
});
