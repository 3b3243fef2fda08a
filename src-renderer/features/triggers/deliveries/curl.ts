import type { SentRequest_Webhook } from '../../../../proto/gen/core/hub/v1/trigger.ts';

/** A command for a POSIX shell that sends the same request, without the signature: only the hub can sign. */
export function curlOf({ method, url, headers, body }: SentRequest_Webhook): string {
  const lines = [`curl -i -X ${method} ${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`  -H ${quoted(`${name}: ${value}`)}`);
  if (body !== '') lines.push(`  --data-raw ${quoted(body)}`);
  return lines.join(' \\\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
