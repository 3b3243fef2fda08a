import { watch } from 'vue';
import { useRouter } from 'vue-router';
import { useFailureAlerts } from '../shared/failures/failure-alerts.ts';
import { FailureFold, type FailureNews } from '../shared/failures/failure-fold.ts';
import { shortName } from '../shared/machine/machine-view.ts';
import { useMachineStatus } from '../shared/stores/machine-status.ts';
import { useText } from '../shared/text.ts';
import { useHere } from './header/use-here.ts';

/** Names of more resources are left out of a notification. */
const MAX_NAMES = 5;

/** Shows a notification of the browser when resources fail while the page is hidden, if the person wants that. */
export function useFailureNotices(): void {
  const t = useText();
  const router = useRouter();
  const status = useMachineStatus();
  const alerts = useFailureAlerts();
  const here = useHere();
  const fold = new FailureFold();
  let isFirst = true;

  function show({ tag, resources }: FailureNews): void {
    const [first, ...others] = resources;
    if (first === undefined) return;
    const names = resources.slice(0, MAX_NAMES).map(({ name }) => shortName(name));
    const isOne = others.length === 0;
    const title = isOne
      ? t('alerts.one', { name: shortName(first.name) })
      : t('alerts.many', { count: resources.length });
    const body = [
      here.name.value,
      isOne ? first.reason : [...names, ...(resources.length > MAX_NAMES ? ['…'] : [])].join(', '),
    ];
    const notification = new Notification(title, { body: body.filter(Boolean).join(': '), tag });
    notification.onclick = () => {
      notification.close();
      window.focus();
      void router.push(
        isOne ? { name: 'configure-resource', params: { name: shortName(first.name) } } : { name: 'overview' },
      );
    };
  }

  watch(
    () => status.resources,
    (resources) => {
      if (!status.isKnown) return;
      // What the page finds at its start is no news.
      const news = fold.take(resources, !document.hidden || isFirst, performance.now());
      isFirst = false;
      if (news !== undefined && alerts.isOn) show(news);
    },
    // Before rendering: a hidden page renders late.
    { immediate: true, flush: 'sync' },
  );
}
