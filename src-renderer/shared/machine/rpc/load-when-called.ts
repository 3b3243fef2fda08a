/** Names of the methods of `Calls` that return a stream. */
type StreamName<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...given: never[]) => AsyncIterable<unknown> ? Name : never;
}[keyof Calls];

type AnyMethod = (...given: readonly unknown[]) => Promise<unknown> & AsyncIterable<unknown>;

/**
 * Makes calls whose code, with its message types, is loaded at the first call: most pages need few of them. Every
 * method of `Calls` returns a promise or a stream.
 * @param load called once; after a failure, again at the next call
 * @param streams the methods that return a stream, which is not known before the code is loaded
 */
export function loadWhenCalled<Calls extends object>(
  load: () => Promise<Calls>,
  streams: Readonly<Record<StreamName<Calls>, true>>,
): Calls {
  let loading: Promise<Calls> | undefined;
  const method = async (name: string): Promise<AnyMethod> => {
    loading ??= load();
    try {
      return ((await loading) as Record<string, AnyMethod>)[name]!;
    } catch {
      loading = undefined;
      throw new Error('The code for this did not come from the server. Reload the page.');
    }
  };

  async function* stream(name: string, given: readonly unknown[]): AsyncGenerator<unknown> {
    yield* (await method(name))(...given);
  }

  return new Proxy({} as Calls, {
    get: (_calls, name) => {
      if (typeof name === 'symbol') return undefined;
      if (name in streams) return (...given: readonly unknown[]) => stream(name, given);
      return async (...given: readonly unknown[]) => (await method(name))(...given);
    },
  });
}
