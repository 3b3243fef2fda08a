import { onScopeDispose, ref, type Ref } from 'vue';
import { formatBytes } from '../format-number.ts';
import { messageOf } from '../machine/rpc/follow-stream.ts';
import { useText } from '../text.ts';
import { openFile, type FileSink } from './file-sink.ts';

/** Saving an archive that a machine makes to a file. */
export interface SavedStream {
  readonly state: Readonly<Ref<'ready' | 'writing' | 'done'>>;
  /** Bytes written so far. */
  readonly bytes: Readonly<Ref<number>>;
  /** What went wrong, as a sentence; '' if nothing did. */
  readonly problem: Readonly<Ref<string>>;
  /** Writes the pieces to a file. Call it on a click: only then a browser asks for a file. */
  readonly start: (name: string, pieces: (signal: AbortSignal) => AsyncIterable<Uint8Array>) => Promise<void>;
}

/** Saves archives as `.tar.gz` files, in a component; stops when the component is unmounted. */
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
        // Removes the partial file. If that fails too, the first error is the one to report.
        await sink?.abort().catch(() => undefined);
        if (controller.signal.aborted) return;
        state.value = 'ready';
        const isDialogCancelled = thrown instanceof DOMException && thrown.name === 'AbortError';
        if (!isDialogCancelled) problem.value = messageOf(thrown);
      }
    },
  };
}
