import { onScopeDispose, ref, type Ref } from 'vue';
import { formatBytes } from '../format-number.ts';
import { messageOf } from '../machine/rpc/follow-stream.ts';
import { useText } from '../text.ts';
import { openFile, type FileSink } from './file-sink.ts';

/** An archive that a machine makes, on its way into a file. */
export interface SavedStream {
  readonly state: Readonly<Ref<'ready' | 'writing' | 'done'>>;
  /** Written so far. */
  readonly bytes: Readonly<Ref<number>>;
  /** A sentence; '' where nothing went wrong. */
  readonly problem: Readonly<Ref<string>>;
  /** Writes what `pieces` gives. Begins with a press, since only then a browser asks for a file. */
  readonly start: (name: string, pieces: (signal: AbortSignal) => AsyncIterable<Uint8Array>) => Promise<void>;
}

/** Saves archives, each as a `.tar.gz` file; ends with whoever uses it. Only within a component. */
export function useSavedStream(): SavedStream {
  const t = useText();
  const controller = new AbortController();
  onScopeDispose(() => controller.abort());
  const state = ref<'ready' | 'writing' | 'done'>('ready');
  const bytes = ref(0);
  const problem = ref('');
  return {
    state,
    bytes,
    problem,
    async start(name, pieces) {
      problem.value = '';
      bytes.value = 0;
      let sink: FileSink | undefined;
      try {
        sink = await openFile(name, 'gz', t('files.archive'));
        state.value = 'writing';
        for await (const piece of pieces(controller.signal)) {
          bytes.value += piece.length;
          if (bytes.value > (sink.limitBytes ?? Infinity)) {
            throw new Error(t('files.memory', { size: formatBytes(sink.limitBytes ?? 0) }));
          }
          await sink.write(piece as Uint8Array<ArrayBuffer>);
        }
        await sink.finish();
        state.value = 'done';
      } catch (thrown) {
        // What is half written is not left behind; where that fails too the first reason is the one to tell.
        await sink?.abort().catch(() => undefined);
        if (controller.signal.aborted) return;
        state.value = 'ready';
        const isChoiceEnded = thrown instanceof DOMException && thrown.name === 'AbortError';
        if (!isChoiceEnded) problem.value = messageOf(thrown);
      }
    },
  };
}
