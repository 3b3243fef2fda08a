import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinSecrets, maskSecrets, splitSecrets } from './secret-split.ts';

describe('secrets apart from a text', () => {
  it('any document comes back byte for byte', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('', '\uFEFF'), fc.nat(4), (json, mark, indent) => {
        const text = mark + JSON.stringify({ auth: JSON.parse(json) as unknown, x: 1 }, null, indent);
        expect(joinSecrets(splitSecrets(text))).toBe(text);
      }),
    );
  });

  it('no secret is left in the pieces, whatever is around it', () => {
    const text = `\uFEFF{
  "auth": { "handlers": [ { "type": "api-key", "config": { "id-1": "uno-1", "keys": ["id-1"] } } ] },
  "components": [ { "name": "a", "attributes": { "password": "due-2", "max_rpm": 60 } } ],
  "modules": [ { "name": "m", "env": { "ANY": "tre-3" } } ]
}`;
    const { pieces, secrets } = splitSecrets(text);
    expect(pieces.join('')).not.toMatch(/uno-1|due-2|tre-3/);
    expect(pieces.join('')).toContain('"max_rpm": 60');
    expect(secrets.join(' ')).toMatch(/uno-1.*due-2.*tre-3/s);
    expect(joinSecrets({ pieces, secrets })).toBe(text);
  });

  it('a text that is no JSON is a secret as a whole', () => {
    const { pieces } = splitSecrets('{"password": "top"');
    expect(pieces).toEqual(['', '']);
  });

  it('halves that do not belong together are none', () => {
    expect(joinSecrets({ pieces: ['a', 'b'], secrets: [] })).toBeUndefined();
  });
});

describe('a text for those who may not change it', () => {
  it('is the document that it was, its secret values alone replaced', () => {
    const handlers = [{ type: 'api-key', config: { 'id-1': 'uno-1', keys: ['id-1'] } }];
    const masked = [{ type: 'api-key', config: { 'id-1': '***', keys: ['id-1'] } }];
    const rest = { components: [{ name: 'a', attributes: { max_rpm: 60 } }] };
    const text = `\uFEFF${JSON.stringify({ auth: { handlers }, ...rest }, null, 2)}\n`;
    const seen = maskSecrets(text);
    expect(JSON.parse(seen.slice(1))).toEqual({ auth: { handlers: masked }, ...rest });
    expect(seen).toBe(text.replace('uno-1', '***'));
    expect(maskSecrets('')).toBe('');
  });

  it.each(['{"auth": {"a": "uno-1"', '{"auth": "x", "auth": {"a": "uno-1"}}', 'uno-1'])(
    'of which it is not certain what it means shows nothing: %s',
    (text) => expect(maskSecrets(text)).toBe('{}'),
  );
});
