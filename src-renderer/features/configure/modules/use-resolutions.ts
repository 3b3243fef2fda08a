import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import type { Resolution } from '../../../../proto/gen/core/hub/v1/registry.ts';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import { followStream } from '../../../shared/machine/rpc/follow-stream.ts';

/** Letters that are typed one after the other are not asked for one by one. */
const typingMs = 250;

export type Resolutions = ReadonlyMap<string, Resolution>;

/**
 * What wishes for versions of one module would run now, by the wish; followed while they stay the same.
 * @param wishes which ones, by what is known of them so far: of `1.*` the answer says which minor release is meant
 */
export function useResolutions(
  moduleId: Readonly<Ref<string>>,
  platform: Readonly<Ref<string>>,
  wishes: (known: Resolutions) => readonly string[],
) {
  const { registry, connection } = useFleetCalls();
  const resolutions = shallowRef<Resolutions>(new Map());
  const versions = computed(() => wishes(resolutions.value));
  const problem = ref('');
  let stop = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function follow(): void {
    const wanted = versions.value;
    const id = moduleId.value;
    const at = platform.value;
    if (id === '' || at === '' || wanted.length === 0) return;
    const wants = wanted.map((version) => ({ moduleId: id, version, platform: at }));
    stop = followStream({
      connection,
      open: (signal) => registry.watchResolutions(wants, signal),
      onItem: (answers) => {
        problem.value = '';
        const told = answers.map((answer) => [answer.want?.version ?? '', answer] as const);
        // The same wishes are asked for again with others: what is known of them stays.
        resolutions.value = new Map([...resolutions.value, ...told]);
      },
      onProblem: (message) => (problem.value = message),
    });
  }

  watch(
    () => [moduleId.value, platform.value, ...versions.value].join(' '),
    (_, before) => {
      stop();
      stop = (): void => undefined;
      clearTimeout(timer);
      if (before === undefined) follow();
      else timer = setTimeout(follow, typingMs);
    },
    { immediate: true },
  );
  // What another module would run says nothing about this one.
  watch([moduleId, platform], () => {
    resolutions.value = new Map();
    problem.value = '';
  });
  onScopeDispose(() => {
    clearTimeout(timer);
    stop();
  });
  return { resolutions, problem };
}
