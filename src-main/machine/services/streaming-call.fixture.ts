import type { ServerCall } from '../../rpc/call.ts';

/** A call that a test cancels by hand; handlers of streams use nothing else of it but who calls. */
export function cancellableCall(): { readonly call: ServerCall; readonly cancel: () => void } {
  const controller = new AbortController();
  const principal = { kind: 'local', entity: 'local' } as const;
  return { call: { signal: controller.signal, principal } as unknown as ServerCall, cancel: () => controller.abort() };
}

/** The next message of a server stream. */
export async function next<T>(stream: AsyncIterator<T>): Promise<T> {
  const result = await stream.next();
  if (result.done === true) throw new Error('the stream has ended');
  return result.value;
}
