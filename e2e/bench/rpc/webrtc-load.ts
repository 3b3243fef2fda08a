import { GrpcClient } from '../../harness/grpc-client.ts';
import { WebRtcCaller } from '../../harness/webrtc-caller.ts';
import { loadResult, type LoadOptions, type LoadResult } from './load-generator.ts';

/** Connects to a server of this computer over WebRTC, with the signaling at its own port. */
export async function dialWebRtc(port: number | string, token: string | undefined): Promise<WebRtcCaller> {
  const signaling = new GrpcClient(`127.0.0.1:${port}`);
  try {
    const headers: Record<string, string> = { 'rpc-host': `localhost:${port}` };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    return await WebRtcCaller.dial(signaling, headers);
  } finally {
    signaling.close();
  }
}

/** The same load as over HTTP/2, over a data channel that is open before the measurement begins. */
export async function runWebRtcLoad(options: LoadOptions): Promise<LoadResult> {
  const { port, token, path, inFlight, durationMs } = options;
  const message = Uint8Array.from(options.message);
  const caller = await dialWebRtc(port, token);
  const took: number[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const endAt = startedAt + durationMs;
  const goOn = async (): Promise<void> => {
    while (performance.now() < endAt) {
      const calledAt = performance.now();
      if (!(await caller.isAnswered(path, message))) failures++;
      took.push(performance.now() - calledAt);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, goOn));
  const durationOfAll = performance.now() - startedAt;
  caller.close();
  return loadResult(took, durationOfAll, failures);
}
