import { defineStore } from 'pinia';
import { computed, onBeforeUnmount, onMounted, shallowReactive, type Ref } from 'vue';
import { keepFocusInPage } from '../focus.ts';

/** The open modal dialogs. Stop moves into the topmost one to stay reachable, because everything else is inert. */
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

/** Shows a modal dialog while its component is mounted. The browser traps the focus and returns it. */
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
    // A dialog that is only removed from the page does not return the focus.
    shown.close();
    dialogs.remove(shown);
    // What opened the dialog may be gone: the button of a deleted row.
    void keepFocusInPage();
  });
}
