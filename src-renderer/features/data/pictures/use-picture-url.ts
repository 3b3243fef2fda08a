import { onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import type { BinaryMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { PictureBytes } from './picture-bytes.ts';

/** Gives a picture's URL for an `<img>`, valid until the component is removed. `wanted` is undefined for no picture. */
export function usePictureUrl(wanted: () => BinaryMetadata | undefined, bytes: PictureBytes) {
  const url: Ref<string> = ref('');
  const blob = shallowRef<Blob>();
  const problem = ref('');
  let current = '';

  function release(): void {
    if (url.value !== '') URL.revokeObjectURL(url.value);
    url.value = '';
    blob.value = undefined;
    problem.value = '';
  }

  watch(
    wanted,
    async (metadata) => {
      const id = metadata?.binaryDataId ?? '';
      if (id === current) return;
      current = id;
      release();
      if (metadata === undefined) return;
      try {
        const fetched = await bytes.get(metadata);
        if (current !== id) return;
        blob.value = fetched;
        url.value = URL.createObjectURL(fetched);
      } catch (thrown) {
        if (current === id) problem.value = messageOf(thrown);
      }
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    current = '';
    release();
  });
  return { url, blob, problem };
}
