import { onScopeDispose, ref, shallowRef, watch } from 'vue';
import { messageOf } from '../machine/rpc/follow-stream.ts';
import { useDraftText, type DraftPreview } from '../stores/draft-text.ts';

/** Pause before asking, so that not each typed letter asks. */
const PAUSE_MS = 250;

/**
 * The machine's preview of a text, asked again whenever the text changes. The last answer stays until the next one.
 * @param text '' if there is nothing to ask about
 */
export function usePreview(text: () => string) {
  const draft = useDraftText();
  const preview = shallowRef<DraftPreview>();
  const failure = ref('');
  const isAsking = ref(false);
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function ask(asked: string, own: number): Promise<void> {
    try {
      const found = await draft.preview(asked);
      if (own !== turn) return;
      preview.value = found;
      failure.value = '';
    } catch (thrown) {
      if (own !== turn) return;
      preview.value = undefined;
      failure.value = messageOf(thrown);
    }
    isAsking.value = false;
  }

  watch(
    text,
    (next, before) => {
      const own = ++turn;
      clearTimeout(timer);
      isAsking.value = next !== '';
      if (next === '') preview.value = undefined;
      else if (before === undefined) void ask(next, own);
      else timer = setTimeout(() => void ask(next, own), PAUSE_MS);
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    turn += 1;
    clearTimeout(timer);
  });
  return { preview, failure, isAsking };
}
