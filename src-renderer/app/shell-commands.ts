import { inject } from 'vue';
import { useRouter } from 'vue-router';
import type { Command } from '../shared/commands/command.ts';
import { useCommands } from '../shared/commands/commands.ts';
import { useConnection } from '../shared/stores/connection.ts';
import { useStopAll } from '../shared/stores/stop-all.ts';
import { useText } from '../shared/text.ts';
import { appearanceKey, densityChoices, themeChoices } from './appearance.ts';
import { pages } from './pages.ts';
import { useShell } from './shell-state.ts';

/** The shell's own commands: they are there on every screen. */
export function useShellCommands(): void {
  const t = useText();
  const router = useRouter();
  const shell = useShell();
  const stopAll = useStopAll();
  const connection = useConnection();
  const appearance = inject(appearanceKey);

  const going = (): Command[] =>
    pages.map(({ name }, index) => ({
      id: `shell.go-${name}`,
      title: t('command.go', { page: t(`app.${name}`) }),
      group: 'go',
      keys: `Mod+${index + 1}`,
      whileTyping: true,
      run: () => void router.push({ name }),
    }));

  const acting = (): Command[] => [
    {
      id: 'shell.palette',
      title: t('palette.title'),
      group: 'action',
      keys: 'Mod+K',
      whileTyping: true,
      run: () => (shell.isPaletteOpen = true),
    },
    {
      id: 'shell.shortcuts',
      title: t('shortcuts.title'),
      group: 'action',
      keys: '?',
      run: () => (shell.isShortcutListOpen = true),
    },
    { id: 'shell.stop-all', title: t('header.stopAll'), group: 'action', run: () => void stopAll.run() },
    {
      id: 'shell.retry-link',
      title: t('command.retryLink'),
      group: 'action',
      isEnabled: !connection.isConnected,
      run: () => connection.retryNow(),
    },
  ];

  const setting = (): Command[] => {
    if (appearance === undefined) return [];
    const { theme, density } = appearance;
    return [
      ...themeChoices.map((choice): Command => ({
        id: `shell.theme-${choice}`,
        title: t('command.theme', { choice: t(`theme.${choice}`) }),
        group: 'setting',
        ...(theme.value === choice ? { detail: t('command.current') } : {}),
        run: () => (theme.value = choice),
      })),
      ...densityChoices.map((choice): Command => ({
        id: `shell.density-${choice}`,
        title: t('command.density', { choice: t(`density.${choice}`) }),
        group: 'setting',
        ...(density.value === choice ? { detail: t('command.current') } : {}),
        run: () => (density.value = choice),
      })),
    ];
  };

  useCommands(() => [...going(), ...acting(), ...setting()]);
}
