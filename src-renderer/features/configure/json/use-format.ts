import { computed, shallowRef } from 'vue';
import { useCommands } from '../../../shared/commands/commands.ts';
import { useText } from '../../../shared/text.ts';
import { useConfigDocument } from '../document/config-document.ts';

/**
 * Formats the text, as a command while it is shown and for a button.
 * @param isShown whether the text is shown
 */
export function useFormat(isShown: () => boolean, isReadOnly: () => boolean) {
  const t = useText();
  const config = useConfigDocument();
  /** What happened, and the text that it is true of. */
  const outcome = shallowRef({ text: '', words: '' });
  /** Why the text cannot be formatted; '' if it can. */
  const why = computed(() => {
    if (isReadOnly()) return t('configure.format.readOnly');
    return config.isFormStale ? t('configure.format.broken', { reason: config.staleReason }) : '';
  });

  function run(): void {
    const result = isReadOnly() ? 'readOnly' : config.format();
    const words = result === 'broken' || result === 'readOnly' ? why.value : t(`configure.format.${result}`);
    outcome.value = { text: config.text, words };
  }

  useCommands(() =>
    isShown()
      ? [
          {
            id: 'configure.format',
            title: t('configure.format.command'),
            group: 'action',
            detail: why.value,
            keys: 'Alt+Shift+F',
            whileTyping: true,
            isEnabled: why.value === '',
            run,
          },
        ]
      : [],
  );
  return { why, run, said: computed(() => (outcome.value.text === config.text ? outcome.value.words : '')) };
}

export type Formatting = ReturnType<typeof useFormat>;
