import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import type { Resolution } from '../../../../proto/gen/core/hub/v1/registry.ts';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import { followStream } from '../../../shared/machine/rpc/follow-stream.ts';

/** Asks this long after the last key, not at every key. */
const typingMs = 250;

export type Resolutions = ReadonlyMap<string, Resolution>;

/**
 * Follows which exact version each wanted version of a module (`1.*`, `latest`) resolves to now.
 * @param wishes gives the wanted versions from the answers so far: that for `1.*` tells which minor release to ask for
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
        const received = answers.map((answer) => [answer.want?.version ?? '', answer] as const);
        // The wanted versions change with each answer: keep the answers for the earlier ones.
        resolutions.value = new Map([...resolutions.value, ...received]);
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
  // Answers for another module or platform are invalid.
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
