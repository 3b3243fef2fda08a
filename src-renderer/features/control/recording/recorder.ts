import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import { downloadBlob } from '../../../shared/files/download.ts';
import { formatBytes } from '../../../shared/format-number.ts';
import { keepText, keptText } from '../../../shared/kept-text.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { partLabel } from '../../../shared/machine/part-words.ts';
import type { WatchReading } from '../../../shared/machine/poll.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import { useReadings } from '../../../shared/machine/use-reading.ts';
import { newId } from '../../../shared/new-id.ts';
import { useAppliedConfig } from '../../../shared/stores/applied-config.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import { useFleet } from '../../../shared/stores/fleet.ts';
import { useMachineStatus } from '../../../shared/stores/machine-status.ts';
import { useText } from '../../../shared/text.ts';
import { runningElsewhere, tellRunning } from './kept/live-recordings.ts';
import { RecordingKeeper, type KeeperProblem } from './kept/recording-keeper.ts';
import { openShelf, type KeptRecording, type Shelf } from './kept/shelf.ts';
import { recordingMessages } from './messages.ts';
import { useRecordingState } from './recording-state.ts';
import { recordingFileName } from './recording-words.ts';
import { recordedPolls } from './take/recorded-values.ts';
import { RecordingSession } from './take/recording-session.ts';

/** How often each value is asked for, per second. */
export const rates = [1, 5, 10, 20] as const;
export type Rate = (typeof rates)[number];

/** The machine takes so many polls over one stream. */
const POLLS_PER_STREAM = 256;
const MAX_STREAMS = 4;
const rateKey = 'armature.recording.rate';

/** A recording that runs. */
interface Running {
  readonly id: string;
  readonly session: RecordingSession;
  readonly keeper: RecordingKeeper;
  readonly end: () => void;
}

/** The recorder of this page. It goes on while the page shows other screens. */
export const useRecorder = defineStore('recorder', () => {
  const t = useText(recordingMessages);
  const machine = useMachine();
  const status = useMachineStatus();
  const config = useAppliedConfig();
  const connection = useConnection();
  const fleet = useFleet();
  const state = useRecordingState();
  const rate = ref<Rate>(rates.find((each) => String(each) === keptText(() => localStorage, rateKey)) ?? 10);
  const running = shallowRef<Running>();
  const bytes = ref(0);
  /** Recordings that the browser keeps, the latest first; not the one that runs. */
  const kept = shallowRef<readonly KeptRecording[]>([]);
  /** Recordings of this page, with what the shelf had no room for. */
  const own = new Map<string, RecordingKeeper>();
  /** Why the last recording stopped by itself; '' if it did not. */
  const stoppedWhy = ref('');
  /** Why a kept recording could not be read or removed; '' if it could. */
  const problem = ref('');
  const isLasting = ref(true);
  let shelf: Promise<Shelf> | undefined;
  let isStarting = false;

  const polls = computed(() => (state.isRunning ? recordedPolls(status.resources, config.components, rate.value) : []));
  const pollById = computed(() => new Map(polls.value.map((each) => [each.request.id, each])));
  const take = (reading: WatchReading): void => {
    const poll = pollById.value.get(reading.id);
    if (poll !== undefined) running.value?.session.takeReading(poll, reading);
  };
  for (let stream = 0; stream < MAX_STREAMS; stream++) {
    const first = stream * POLLS_PER_STREAM;
    useReadings(() => polls.value.slice(first, first + POLLS_PER_STREAM).map(({ request }) => request), take);
  }

  function opened(): Promise<Shelf> {
    shelf ??= openShelf().then((found) => {
      isLasting.value = found.isLasting;
      return found;
    });
    return shelf;
  }

  async function list(): Promise<void> {
    try {
      const [found, elsewhere] = await Promise.all([(await opened()).list(), runningElsewhere()]);
      kept.value = found.filter(({ id }) => id !== running.value?.id && !elsewhere.has(id));
    } catch (thrown) {
      problem.value = messageOf(thrown);
    }
  }

  async function start(): Promise<void> {
    if (running.value !== undefined || isStarting) return;
    isStarting = true;
    const place = await opened();
    isStarting = false;
    stoppedWhy.value = '';
    bytes.value = 0;
    const startedAt = Date.now();
    const name = fleet.here === undefined ? (status.info?.name ?? '') : partLabel(fleet.here);
    const id = newId();
    const pageNow = (): number => performance.now();
    const keeper = new RecordingKeeper(place, { id, machine: name, startedAt }, pageNow, stopByItself);
    const session = new RecordingSession({
      machine: name,
      program: status.info?.version ?? '',
      hz: rate.value,
      t,
      write: (line) => keeper.write(line),
      pageNow,
      wallNow: () => Date.now(),
    });
    session.noteResources(status.resources);
    const stopCommands = machine.onCommand((command) => session.noteCommand(command));
    const timer = setInterval(() => {
      session.tick();
      keeper.flush();
      bytes.value = keeper.recording.bytes;
    }, 1_000);
    own.set(id, keeper);
    running.value = {
      id,
      session,
      keeper,
      end: () => {
        stopCommands();
        clearInterval(timer);
      },
    };
    state.startedAt = startedAt;
    const all = polls.value.length;
    const count = MAX_STREAMS * POLLS_PER_STREAM;
    if (all > count) session.note('reading', t('recording.event.tooMany', { count, all }));
  }

  function stopByItself({ kind, reason }: KeeperProblem): void {
    const size = formatBytes(running.value?.keeper.recording.bytes ?? 0);
    stoppedWhy.value = kind === 'full' ? t('recording.end.full', { size }) : t('recording.end.noRoom', { reason });
    void stop(stoppedWhy.value);
  }

  async function stop(why = t('recording.end.stopped')): Promise<void> {
    const ended = running.value;
    if (ended === undefined) return;
    running.value = undefined;
    state.startedAt = undefined;
    ended.end();
    ended.session.end(why);
    await ended.keeper.close(Math.round(ended.session.lengthMs));
    await list();
    // Where the browser had no room, its own list lacks it.
    const { recording } = ended.keeper;
    kept.value = [recording, ...kept.value.filter(({ id }) => id !== recording.id)];
  }

  /** The whole text of a recording; undefined if the browser does not give it, which `problem` says. */
  async function read(recording: KeptRecording): Promise<Blob | undefined> {
    let content: Blob | undefined;
    await attempt(async () => void (content = await contentOf(recording)));
    return content;
  }

  async function contentOf({ id }: KeptRecording): Promise<Blob> {
    const stored = await (await opened()).read(id);
    return new Blob([stored, ...(own.get(id)?.left ?? [])], { type: 'application/x-ndjson' });
  }

  const fileNameOf = ({ machine: name, startedAt }: KeptRecording): string => recordingFileName(name, startedAt);

  /** Makes a file of it. It is kept until it is discarded, because a browser may ask where to put the file. */
  async function save(recording: KeptRecording): Promise<void> {
    await attempt(async () => {
      downloadBlob(fileNameOf(recording), await contentOf(recording));
      const saved = { ...recording, isSaved: true };
      kept.value = kept.value.map((each) => (each.id === recording.id ? saved : each));
      await (await opened()).keep(saved);
    });
  }

  async function discard({ id }: KeptRecording): Promise<void> {
    await attempt(async () => {
      await (await opened()).remove(id);
      own.delete(id);
      kept.value = kept.value.filter((each) => each.id !== id);
    });
  }

  async function attempt(action: () => Promise<void>): Promise<void> {
    problem.value = '';
    try {
      await action();
    } catch (thrown) {
      problem.value = messageOf(thrown);
    }
  }

  watch(rate, (next) => keepText(() => localStorage, rateKey, String(next)));
  watch(
    () => status.resources,
    (resources) => running.value?.session.noteResources(resources),
  );
  watch(
    () => connection.isConnected,
    (isConnected) => running.value?.session.noteConnection(isConnected, connection.view.reason),
    { flush: 'sync' },
  );

  const onVisibility = (): void => {
    const isHidden = document.visibilityState === 'hidden';
    running.value?.session.note('page', t(isHidden ? 'recording.event.hidden' : 'recording.event.shown'));
    if (isHidden) running.value?.keeper.flush();
  };
  const onPageHide = (): void => running.value?.keeper.flush();
  const onBeforeUnload = (event: BeforeUnloadEvent): void => {
    const isLost = !isLasting.value && kept.value.some(({ isSaved }) => !isSaved);
    if (running.value !== undefined || isLost) event.preventDefault();
  };
  const listeners = new AbortController();
  document.addEventListener('visibilitychange', onVisibility, { signal: listeners.signal });
  window.addEventListener('pagehide', onPageHide, { signal: listeners.signal });
  window.addEventListener('beforeunload', onBeforeUnload, { signal: listeners.signal });
  const silence = tellRunning(() => running.value?.id);
  onScopeDispose(() => {
    listeners.abort();
    silence();
    running.value?.end();
  });

  /** Recordings that were saved need not be offered again after a reload. */
  async function tidy(): Promise<void> {
    await list();
    for (const recording of kept.value) if (recording.isSaved) await discard(recording);
  }
  void tidy();

  return { rate, bytes, kept, stoppedWhy, problem, isLasting, start, stop, read, save, discard, fileNameOf };
});
