import { ref } from 'vue';
import { useCommands } from '../../../shared/commands/commands.ts';
import { shownChord } from '../../../shared/commands/chords.ts';
import { takesText, targetOf } from '../../../shared/commands/typing.ts';
import { useText } from '../../../shared/text.ts';
import { usePageNote } from '../page-note.ts';
import { useDocumentEvent } from './use-document-event.ts';

/** The keys that paste, as they are labelled. */
export const pasteKeys = (): string => shownChord('Mod+V');

/**
 * Text that is pasted into the page, outside of text fields and dialogs. The `paste` event needs no permission, and is
 * there without a clipboard for pages.
 */
export function usePaste(canPaste: () => boolean) {
  const t = useText();
  const note = usePageNote();
  /** What was pasted; '' while the person is asked to press the keys; undefined for nothing. */
  const pasted = ref<string>();

  function take(text: string): void {
    if (canPaste()) pasted.value = text;
    else note.say(t('transfer.readOnly'));
  }

  function onPaste(event: ClipboardEvent): void {
    if (event.defaultPrevented || takesText(targetOf(event))) return;
    if (document.querySelector('dialog[open]') !== null && pasted.value === undefined) return;
    event.preventDefault();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text.trim() === '') note.say(t('transfer.empty'));
    else take(text);
  }

  /** Asks the browser for the clipboard; if it gives none, the person presses the keys. */
  async function ask(): Promise<void> {
    let text = '';
    try {
      text = await navigator.clipboard.readText();
    } catch {
      // Not allowed, or there is no clipboard for pages over plain HTTP: the dialog says which keys to press.
    }
    take(text);
  }

  useCommands(() => [
    {
      id: 'configure.paste',
      title: t('transfer.command'),
      group: 'action',
      detail: pasteKeys(),
      isEnabled: canPaste(),
      run: () => void ask(),
    },
  ]);

  useDocumentEvent('paste', onPaste);
  return pasted;
}
