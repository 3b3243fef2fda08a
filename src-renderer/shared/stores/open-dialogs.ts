import { defineStore } from 'pinia';
import { computed, onBeforeUnmount, onMounted, shallowReactive, type Ref } from 'vue';

/** The modal dialogs that are open. What must stay in reach (Stop) moves into the topmost: all else is inert. */
export const useOpenDialogs = defineStore('open-dialogs', () => {
  const stack = shallowReactive<HTMLDialogElement[]>([]);
  return {
    top: computed(() => stack.at(-1)),
    push: (dialog: HTMLDialogElement) => void stack.push(dialog),
    remove: (dialog: HTMLDialogElement) => {
      const at = stack.indexOf(dialog);
      if (at >= 0) stack.splice(at, 1);
    },
  };
});

/** Shows a dialog over the page while its component is in the tree. The browser traps the focus and gives it back. */
export function useModal(dialog: Readonly<Ref<HTMLDialogElement | null>>): void {
  const dialogs = useOpenDialogs();
  let shown: HTMLDialogElement | null = null;
  onMounted(() => {
    shown = dialog.value;
    if (shown === null) return;
    shown.showModal();
    dialogs.push(shown);
  });
  onBeforeUnmount(() => {
    if (shown === null) return;
    // One that is only taken out of the page does not give the focus back.
    shown.close();
    dialogs.remove(shown);
  });
}
