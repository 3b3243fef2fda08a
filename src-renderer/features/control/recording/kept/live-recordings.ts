/** Name of the channel over which the pages of this browser ask each other which recordings run. */
const channelName = 'armature-recordings';
/** A page that runs answers within this time, also a hidden one. */
const ANSWER_TIME_MS = 300;

/** Tells other pages which recording runs in this one. Returns a function that ends it. */
export function tellRunning(running: () => string | undefined): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    const id = running();
    if (data === 'who' && id !== undefined) channel.postMessage({ runs: id });
  };
  return () => channel.close();
}

/** The recordings that run in other pages of this browser: they are theirs. */
export async function runningElsewhere(): Promise<ReadonlySet<string>> {
  const channel = new BroadcastChannel(channelName);
  const found = new Set<string>();
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    const runs = typeof data === 'object' && data !== null && 'runs' in data ? data.runs : undefined;
    if (typeof runs === 'string') found.add(runs);
  };
  channel.postMessage('who');
  await new Promise((resolve) => setTimeout(resolve, ANSWER_TIME_MS));
  channel.close();
  return found;
}
