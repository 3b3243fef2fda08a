import { defineStore } from 'pinia';
import { computed, getCurrentInstance, onActivated, onDeactivated, onScopeDispose, shallowReactive } from 'vue';
import type { Command } from './command.ts';

type Provider = () => readonly Command[];

/** All commands that can be run now; screens and the shell provide theirs while they are mounted. */
export const useCommandList = defineStore('commands', () => {
  const providers = shallowReactive(new Set<Provider>());
  return {
    commands: computed(() => [...providers].flatMap((provide) => provide())),
    add(provide: Provider): () => void {
      providers.add(provide);
      return () => void providers.delete(provide);
    },
  };
});

/**
 * Provides commands until the component (or scope) that calls it ends, except while a kept-alive component is not
 * shown. `provide` is called reactively.
 */
export function useCommands(provide: Provider): void {
  const list = useCommandList();
  let remove = list.add(provide);
  onScopeDispose(() => remove());
  if (getCurrentInstance() === null) return;
  onDeactivated(() => remove());
  onActivated(() => (remove = list.add(provide)));
}
