import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { useRouter } from 'vue-router';
import { messageOf } from '../../../../shared/machine/rpc/follow-stream.ts';
import type { Recording, RecordingProblem } from '../file/recording.ts';
import { readRecording } from './read-recording.ts';

/** Why a file could not be opened. */
export type OpenProblem = RecordingProblem | { readonly kind: 'unreadable'; readonly reason: string };

/** The recording that is open. It stays open while the page shows other screens. */
export const useOpenedRecording = defineStore('opened-recording', () => {
  /** Name of its file; '' if none was opened. */
  const name = ref('');
  const recording = shallowRef<Recording>();
  /** Why the file of that name has no recording; undefined if it has one, or is being read. */
  const problem = shallowRef<OpenProblem>();
  /** Share of the file that has been read; undefined if none is being read. */
  const share = ref<number>();
  /** How many files were opened: each is looked at anew. */
  const count = ref(0);
  let reading: AbortController | undefined;

  async function read(fileName: string, content: Blob): Promise<void> {
    reading?.abort();
    const own = new AbortController();
    reading = own;
    name.value = fileName;
    recording.value = undefined;
    problem.value = undefined;
    share.value = 0;
    count.value += 1;
    try {
      const result = await readRecording(content, (next) => (share.value = next), own.signal);
      if (own.signal.aborted) return;
      if ('channels' in result) recording.value = result;
      else problem.value = result;
    } catch (thrown) {
      if (own.signal.aborted) return;
      problem.value = { kind: 'unreadable', reason: messageOf(thrown) };
    }
    share.value = undefined;
  }

  function close(): void {
    reading?.abort();
    name.value = '';
    recording.value = undefined;
    problem.value = undefined;
    share.value = undefined;
  }

  return { name, recording, problem, share, count, read, close };
});

/** Opens files as recordings, on the screen for them. */
export function useOpenRecording(): { readonly open: (name: string, content: Blob) => Promise<void> } {
  const opened = useOpenedRecording();
  const router = useRouter();
  return {
    async open(name, content) {
      const done = opened.read(name, content);
      await router.push({ name: 'recording' });
      await done;
    },
  };
}
