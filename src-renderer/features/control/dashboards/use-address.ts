import { computed, type ComputedRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';

/** The dashboard that the address names, so that a link leads to it. */
export function useDashboardAddress(): {
  /** Its id; '' for all resources. */
  readonly id: ComputedRef<string>;
  /** Shows another one; '' shows all resources. */
  readonly open: (id: string) => void;
  /** The whole address of a dashboard, for somebody else. */
  readonly linkTo: (id: string) => string;
} {
  const route = useRoute();
  const router = useRouter();
  const placeOf = (id: string) => ({ name: 'control', query: id === '' ? {} : { dashboard: id } });
  return {
    id: computed(() => {
      const { dashboard } = route.query;
      return typeof dashboard === 'string' ? dashboard : '';
    }),
    open: (id) => void router.push(placeOf(id)),
    linkTo: (id) => new URL(router.resolve(placeOf(id)).href, window.location.href).href,
  };
}
