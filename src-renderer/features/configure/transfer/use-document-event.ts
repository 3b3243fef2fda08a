import { onActivated, onBeforeUnmount, onDeactivated, onMounted } from 'vue';

/** Listens to an event of the document while the component is shown. */
export function useDocumentEvent(name: 'copy' | 'paste', handle: (event: ClipboardEvent) => void): void {
  const listen = (): void => document.addEventListener(name, handle);
  const unlisten = (): void => document.removeEventListener(name, handle);
  onMounted(listen);
  onActivated(listen);
  onDeactivated(unlisten);
  onBeforeUnmount(unlisten);
}
