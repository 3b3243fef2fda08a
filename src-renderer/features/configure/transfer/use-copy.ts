import { copyText } from '../../../shared/copy-text.ts';
import { useText } from '../../../shared/text.ts';
import { useConfigDocument } from '../document/config-document.ts';
import type { DocumentEntry } from '../document/document-model.ts';
import { hasSecrets } from '../document/sealed-secrets.ts';
import { usePageNote } from '../page-note.ts';

/** Copies entries as a part of a configuration, and says so. */
export function useCopy() {
  const t = useText();
  const config = useConfigDocument();
  const note = usePageNote();

  function sayCopied(entries: readonly DocumentEntry[], text: string): void {
    const [first] = entries;
    const count = entries.length;
    const copied = t('transfer.copied', { count, name: first?.name ?? '' });
    note.say(hasSecrets(text) ? `${copied} ${t('transfer.secret', { count })}` : copied);
  }

  return {
    /** Fills the clipboard of a `copy` event, which needs no permission. */
    putInto(event: ClipboardEvent, entries: readonly DocumentEntry[]): void {
      const text = config.copied(entries);
      if (text === '' || entries.length === 0 || event.clipboardData === null) return;
      event.clipboardData.setData('text/plain', text);
      event.preventDefault();
      sayCopied(entries, text);
    },
    async copy(entries: readonly DocumentEntry[]): Promise<void> {
      const text = config.copied(entries);
      if (text === '' || entries.length === 0) return;
      if (await copyText(text)) sayCopied(entries, text);
      else note.say(t('transfer.copyFailed'));
    },
  };
}
