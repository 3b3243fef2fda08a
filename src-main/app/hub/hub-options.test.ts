import { describe, expect, it } from 'vitest';
import { parseHubCommand } from './hub-options.ts';

const shared = ['--database', 'postgres://db/fleet', '--files', 's3://bucket/fleet?endpoint=http://files:9000'];
const parse = (...args: string[]) => parseHubCommand(args, { HOME: '/home/ada' });
const textOf = (...args: string[]): string => {
  const command = parse(...args);
  return command.kind === 'usage-error' ? command.text : `no error: ${command.kind}`;
};

describe('options of a hub that is one of several', () => {
  it('are its address, and what they share', () => {
    expect(parse(...shared, '--cluster', 'https://10.0.0.1:8090', '--tls-san', 'hub.example')).toMatchObject({
      kind: 'serve',
      cluster: 'https://10.0.0.1:8090',
      alternativeHosts: ['hub.example'],
    });
    expect(parse(...shared)).toMatchObject({ cluster: undefined, alternativeHosts: [] });
    // On one computer clear text is nobody else's to read.
    expect(parse(...shared, '--no-tls', '--cluster', 'http://127.0.0.1:8090')).toMatchObject({
      cluster: 'http://127.0.0.1:8090',
    });
  });

  it.each([
    ['an address without a scheme', [...shared, '--cluster', '10.0.0.1:8090'], 'for example https://10.0.0.1:8090'],
    ['a path', [...shared, '--cluster', 'https://10.0.0.1/hub'], 'for example https://10.0.0.1:8090'],
    ['no database', [...shared.slice(2), '--cluster', 'https://10.0.0.1:8090'], 'needs --database and --files'],
    ['no bucket', [...shared.slice(0, 2), '--cluster', 'https://10.0.0.1:8090'], 'needs --database and --files'],
    ['clear text where the port has TLS', [...shared, '--cluster', 'http://10.0.0.1:8090'], 'begins with https://'],
    ['TLS where the port has none', [...shared, '--no-tls', '--cluster', 'https://localhost:1'], 'begins with http://'],
    ['clear text between computers', [...shared, '--no-tls', '--cluster', 'http://10.0.0.1:1'], 'reached over https'],
    ['a name with a port for its certificate', ['--tls-san', 'hub.example:8090'], '--tls-san is "hub.example:8090"'],
  ])('are refused for %s, with what to write', (_what, args, words) => {
    expect(textOf(...args)).toContain(words);
  });
});
