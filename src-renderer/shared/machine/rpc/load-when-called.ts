/** Names of the methods of `Calls` whose answers come one after another. */
type StreamName<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...given: never[]) => AsyncIterable<unknown> ? Name : never;
}[keyof Calls];

type AnyMethod = (...given: readonly unknown[]) => Promise<unknown> & AsyncIterable<unknown>;

/**
 * Calls whose code, with the messages that it knows, is loaded when one of them is first made: most pages need few of
 * them. Every method of `Calls` answers with a promise or a stream.
 * @param load what is loaded once; after a failure, again at the next call
 * @param streams the methods that answer with a stream: nobody can tell before the code is there
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
