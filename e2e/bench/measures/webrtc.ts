import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GetImagesRequest } from '../../../proto/gen/core/component/camera/v1/camera.ts';
import { pngOf } from '../../harness/picture.ts';
import type { Measure, Row } from '../measure.ts';
import { cpuMicros, memoryOf } from '../process-figures.ts';
import type { LoadOptions, LoadResult } from '../rpc/load-generator.ts';
import { LoadProcess } from '../rpc/load-process.ts';
import { dialWebRtc } from '../rpc/webrtc-load.ts';
import { isMovingMessage, isMovingPath, msToMotor, startArmature, type ArmatureServer } from '../servers/armature.ts';
import { rowOf } from '../statistics.ts';

const ROUND_MS = 2_000;
const PEERS = 50;
const picturePath = '/viam.component.camera.v1.CameraService/GetImages';
const pictureMessage = [...GetImagesRequest.encode({ name: 'belt', filterSourceNames: [], extra: undefined }).finish()];

type Load = Pick<LoadOptions, 'path' | 'message' | 'inFlight'>;

/** Cost and result of a load, over either transport. */
interface Figures extends LoadResult {
  readonly cpuMicrosPerCall: number;
}

/** Calls and pictures over a data channel, compared with HTTP/2 at the same server; and the cost of an idle peer. */
export const webRtc: Measure = {
  name: 'webrtc',
  isDefault: true,
  async run({ rounds, scratchFolder, note }) {
    const picture = await noisyPicture(scratchFolder);
    const load = new LoadProcess();
    const server = await startArmature(scratchFolder, (port) => configOf(port, picture.file));
    try {
      await msToMotor(server);
      const inTurns = async (name: string, of: Load): Promise<{ over: Figures[]; direct: Figures[] }> => {
        note(name);
        const over: Figures[] = [];
        const direct: Figures[] = [];
        // The first round warms up.
        for (let round = 0; round <= rounds; round++) {
          const both = [await measured(load, server, of, 'webrtc'), await measured(load, server, of)] as const;
          if (round === 0) continue;
          over.push(both[0]);
          direct.push(both[1]);
        }
        return { over, direct };
      };
      const row = (
        { over, direct }: { over: Figures[]; direct: Figures[] },
        name: string,
        what: string,
        unit: string,
        of: (figures: Figures) => number,
        details: Row['details'] = {},
      ) => rowOf({ name, what, unit, target: undefined }, { ours: over.map(of), peer: direct.map(of) }, details);

      const many = await inTurns('64 calls in flight', { path: isMovingPath, message: isMovingMessage, inFlight: 64 });
      const one = await inTurns('1 call in flight', { path: isMovingPath, message: isMovingMessage, inFlight: 1 });
      const pictures = await inTurns('pictures', { path: picturePath, message: pictureMessage, inFlight: 4 });
      const megabytes = ({ callsPerSecond }: Figures): number => (callsPerSecond * picture.bytes) / 1e6;
      const kilobytes = picture.bytes / 1e3;
      const peers = Math.round(await kibibytesAPeer(server));
      return [
        row(many, 'WebRTC, calls', 'IsMoving, 64 in flight / the same by gRPC', 'calls/s', (of) => of.callsPerSecond, {
          [`KiB of the server for each of ${PEERS} peers that wait`]: peers,
        }),
        row(many, 'WebRTC, CPU a call', 'processor time of the server / by gRPC', 'us', (of) => of.cpuMicrosPerCall),
        row(one, 'WebRTC, latency', 'IsMoving, 1 in flight, median / by gRPC', 'ms', (of) => of.p50Ms),
        row(one, 'WebRTC, latency p99', 'the same, p99', 'ms', (of) => of.p99Ms),
        row(pictures, 'WebRTC, pictures', 'of 300 kB, 4 in flight / by gRPC', 'MB/s', megabytes),
        row(
          pictures,
          'WebRTC, CPU of pictures',
          'processor time of the server a MB / by gRPC',
          'us',
          (of) => of.cpuMicrosPerCall / (kilobytes / 1e3),
        ),
      ];
    } finally {
      await Promise.all([load.end(), server.end()]);
    }
  },
};

async function measured(
  load: LoadProcess,
  { child, port, token }: ArmatureServer,
  of: Load,
  carrier?: 'webrtc',
): Promise<Figures> {
  const before = cpuMicros(child);
  const result = await load.run({ ...of, port, token, carrier, durationMs: ROUND_MS });
  return { ...result, cpuMicrosPerCall: (cpuMicros(child) - before) / result.calls };
}

/** Memory of the server per peer, for fifty peers that have made one call and stay connected; KiB. */
async function kibibytesAPeer({ child, port, token }: ArmatureServer): Promise<number> {
  const before = memoryOf(child).anonymousMib;
  const callers = await Promise.all(Array.from({ length: PEERS }, () => dialWebRtc(port, token)));
  for (const caller of callers) await caller.isAnswered(isMovingPath, Uint8Array.from(isMovingMessage));
  const grownBy = memoryOf(child).anonymousMib - before;
  for (const caller of callers) caller.close();
  return (grownBy * 1_024) / PEERS;
}

/** A picture that does not compress further, like a camera's. */
async function noisyPicture(scratch: string): Promise<{ readonly file: string; readonly bytes: number }> {
  let seed = 1;
  const next = (): number => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) >>> 24;
  const picture = pngOf(400, 250, () => ({ red: next(), green: next(), blue: next() }));
  const file = path.join(await mkdtemp(path.join(scratch, 'pictures-')), 'belt.png');
  await writeFile(file, picture);
  return { file, bytes: picture.length };
}

function configOf(port: number, picture: string): string {
  const components = [
    { name: 'left', api: 'core:component:motor', model: 'fake', attributes: { max_rpm: 100 } },
    {
      name: 'belt',
      api: 'core:component:camera',
      model: 'image_file',
      attributes: { color_image_file_path: picture, frame_rate: 60 },
    },
  ];
  return JSON.stringify({ components, network: { bind_address: `127.0.0.1:${port}` } });
}
