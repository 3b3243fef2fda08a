import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sealSecrets, unsealSecrets } from './sealed-secrets.ts';

const base = `{
  // with a comment
  "auth": { "handlers": [{ "type": "api-key", "config": { "k1": "aaa-secret", "keys": ["k1"] } }] },
  "modules": [{ "name": "m", "env": { "PLACE": "bbb-secret" } }],
  "components": [{ "name": "c", "attributes": { "password": "ccc-secret", "pin": "4" } }],
}`;

describe('a draft without its secrets', () => {
  it('gets the secrets of the machine back, also under another key', () => {
    const text = base.replace('"k1": "aaa-secret"', '"k2": "aaa-secret"').replace('"pin": "4"', '"pin": "5"');
    const sealed = sealSecrets({ baseText: base, text });
    expect(JSON.stringify(sealed)).not.toMatch(/(aaa|bbb|ccc)-secret/);
    expect(unsealSecrets(sealed, base)).toEqual({ baseText: base, text });
  });

  it('has empty secrets where they were typed, or if the machine has another text', () => {
    const text = base.replace('ccc-secret', 'typed-secret');
    const sealed = sealSecrets({ baseText: base, text });
    expect(unsealSecrets(sealed, base).text).toBe(base.replace('ccc-secret', ''));
    expect(unsealSecrets(sealed, '').baseText).toBe(base.replaceAll(/(aaa|bbb|ccc)-secret/g, ''));
  });

  it('has no secrets in a half-typed text either', () => {
    fc.assert(
      fc.property(fc.nat(base.length), fc.nat(20), (at, gone) => {
        const broken = base.slice(0, at) + base.slice(at + gone);
        expect(sealSecrets({ baseText: base, text: broken }).text).not.toContain('ccc-secret');
      }),
    );
  });
});
