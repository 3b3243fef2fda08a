import type { Ref } from 'vue';
import type { Command } from '../../../../shared/commands/command.ts';
import { useCommands } from '../../../../shared/commands/commands.ts';
import { useText } from '../../../../shared/text.ts';
import { digits } from './label-classes.ts';
import { classCommand, labelCommands, type LabelCommand } from './label-keys.ts';

/** Which commands are possible now. */
export interface LabelSituation {
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  readonly mayChange: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Whether a model has suggestions for this picture. */
  readonly hasSuggestions: boolean;
}

interface LabelCommandOptions {
  readonly actions: Readonly<Record<LabelCommand, () => void>>;
  readonly situation: Readonly<Ref<LabelSituation>>;
  readonly classes: Readonly<Ref<readonly string[]>>;
  readonly choose: (label: string) => void;
}

/** Registers the commands of the labelling screen for keys, the palette and the list of shortcuts. */
export function useLabelCommands({ actions, situation, classes, choose }: LabelCommandOptions): void {
  const t = useText();
  const isEnabled = (command: LabelCommand): boolean => {
    const { hasPrevious, hasNext, mayChange, canRedo, hasSuggestions } = situation.value;
    switch (command) {
      case 'previous':
        return hasPrevious;
      case 'next':
        return hasNext;
      // Undo is possible without a history, because it also cancels a drag in progress.
      case 'newBox':
      case 'undo':
        return mayChange;
      case 'repeat':
        return mayChange && hasPrevious;
      case 'nextSuggestion':
      case 'accept':
      case 'acceptAll':
      case 'reject':
      case 'rejectAll':
        return mayChange && hasSuggestions;
      case 'redo':
      case 'redoToo':
        return mayChange && canRedo;
      default:
        return true;
    }
  };
  const named = (Object.keys(labelCommands) as LabelCommand[]).map((command) => ({
    command,
    id: `labels.${command}`,
    title: t(`datasets.command.${command}`),
    keys: labelCommands[command],
  }));

  useCommands((): Command[] => [
    ...named.map(({ command, ...texts }): Command => ({
      ...texts,
      group: 'action',
      isEnabled: isEnabled(command),
      run: actions[command],
    })),
    ...Array.from({ length: digits }, (_, index): Command => {
      const label = classes.value[index];
      return {
        id: classCommand(index + 1),
        title: t('datasets.command.class', { digit: index + 1 }),
        ...(label === undefined ? {} : { detail: label }),
        group: 'action',
        keys: String(index + 1),
        isEnabled: label !== undefined,
        run: () => (label === undefined ? undefined : choose(label)),
      };
    }),
  ]);
}
