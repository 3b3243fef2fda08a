import { describe, expect, it } from 'vitest';
import { isSecretPointer } from '../../../../proto/config/secrets.ts';
import { configOf, parse } from '../config.fixture.ts';

const brief = (remote: object): readonly string[] =>
  parse({ remotes: [{ name: 'second', address: 'host:8080', ...remote }] }).problems.map(
    ({ severity, code, pointer }) => `${severity} ${code} ${pointer}`,
  );

describe('an entry of "remotes"', () => {
  it('needs a name and an address', () => {
    const [remote] = configOf({ remotes: [{ name: 'second', address: 'host:8080' }] }).remotes;
    expect(remote).toEqual({
      name: 'second',
      address: { text: 'host:8080', host: 'host', port: 8080, isEncrypted: true },
      prefix: '',
      credentials: undefined,
      checkMs: 10_000,
      reconnectMs: 1_000,
      isDisabled: false,
      pointer: '/remotes/0',
      problems: [],
    });
  });

  it('is read whole, as other servers write it too', () => {
    const auth = { entity: 'id', credentials: { type: 'api-key', payload: 'secret' } };
    const rest = { insecure: true, connection_check_interval: '3s', reconnect_interval: '500ms', disabled: true };
    const remotes = [
      { name: 'a', address: 'localhost:1', prefix: 'far-', auth, ...rest },
      { name: 'b', address: 'b.viam.cloud', secret: 'of the location' },
    ];
    expect(configOf({ remotes }).remotes).toMatchObject([
      {
        address: { text: 'localhost:1', host: 'localhost', port: 1, isEncrypted: false },
        prefix: 'far-',
        credentials: { type: 'api-key', entity: 'id', payload: 'secret' },
        checkMs: 3_000,
        reconnectMs: 500,
        isDisabled: true,
      },
      { credentials: { type: 'robot-location-secret', entity: '', payload: 'of the location' } },
    ]);
  });

  it.each<[object, string]>([
    [{ address: '' }, 'error config.missing_key /remotes/0/address'],
    [{ address: 'a b' }, 'error remote.bad_address /remotes/0/address'],
    [{ address: 'https://host', insecure: true }, 'error remote.bad_address /remotes/0/address'],
    [{ prefix: 'a:b' }, 'error config.bad_name /remotes/0/prefix'],
    [{ auth: {} }, 'error config.missing_key /remotes/0/auth'],
    [{ auth: { credentials: { type: 'api-key' } } }, 'error config.missing_key /remotes/0/auth/credentials'],
    [{ reconnect_interval: 'soon' }, 'error config.bad_duration /remotes/0/reconnect_interval'],
    [{ frame: {} }, 'warning config.unsupported_key /remotes/0/frame'],
    [{ managed_by: 'a' }, 'warning config.unsupported_key /remotes/0/managed_by'],
  ])('%j: %s', (remote, problem) => expect(brief(remote)).toEqual([problem]));

  it('is left out without a name, and where another one has its name', () => {
    const remotes = [
      { address: 'a' },
      { name: 'x:y', address: 'a' },
      { name: 'b', address: 'b' },
      { name: 'b', address: 'c' },
    ];
    const { config, problems } = parse({ remotes });
    expect(config?.remotes.map(({ name, address }) => `${name} ${address.text}`)).toEqual(['b b']);
    expect(problems.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'config.missing_key /remotes/0',
      'config.bad_name /remotes/1/name',
      'config.duplicate_name /remotes/3',
    ]);
  });

  it('has what is wrong anywhere in it: a variable that is not set is no key, and a key of the document is there once', () => {
    const payload = '${REMOTE_KEY}';
    const auth = { entity: 'id', credentials: { payload } };
    const text = JSON.stringify({ remotes: [{ name: 'second', address: 'host', auth }] });
    const doubled = text.replace('"entity":"id"', '"entity":"id","entity":"other"');
    const codesOf = (written: string): readonly string[] =>
      parse(written, { isFile: true }).config?.remotes[0]?.problems.map(({ code }) => code) ?? [];
    expect(codesOf(text)).toEqual(['placeholder.unset']);
    expect(codesOf(doubled)).toEqual(expect.arrayContaining(['config.duplicate_key', 'placeholder.unset']));
  });

  it('keeps its secrets to itself', () => {
    expect(['secret', 'auth/credentials/payload'].map((at) => isSecretPointer(`/remotes/0/${at}`))).toEqual([
      true,
      true,
    ]);
    // Also if they have the wrong type.
    expect(['auth', 'auth/credentials', 'auth/key'].map((at) => isSecretPointer(`/remotes/0/${at}`))).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      ['name', 'address', 'auth/entity', 'auth/credentials/type'].map((at) => isSecretPointer(`/remotes/0/${at}`)),
    ).toEqual([false, false, false, false]);
  });
});
