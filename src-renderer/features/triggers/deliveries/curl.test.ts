import { expect, it } from 'vitest';
import { curlOf } from './curl.ts';

it('quotes a request for a shell, whatever it contains', () => {
  const headers = { 'Part-Id': 'p', 'Content-Type': 'application/json' };
  const command = curlOf({ method: 'POST', url: 'http://a.example/?b=1&c=2', headers, body: `{"it":"isn't"}` });
  expect(command).toBe(
    [
      `curl -i -X POST 'http://a.example/?b=1&c=2' \\`,
      `  -H 'Part-Id: p' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  --data-raw '{"it":"isn'\\''t"}'`,
    ].join('\n'),
  );
});
