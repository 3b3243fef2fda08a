import type { SentRequest_Webhook } from '../../../../proto/gen/core/hub/v1/trigger.ts';

/** A command of a POSIX shell that makes the same request; without the signature, which only the hub can make. */
export function curlOf({ method, url, headers, body }: SentRequest_Webhook): string {
  const lines = [`curl -i -X ${method} ${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`  -H ${quoted(`${name}: ${value}`)}`);
  if (body !== '') lines.push(`  --data-raw ${quoted(body)}`);
  return lines.join(' \\\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
