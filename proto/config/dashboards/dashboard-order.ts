import type { Dashboard } from '../../gen/core/dashboard/v1/dashboard.ts';

/** In the order in which they are shown. */
export function inOrder(dashboards: readonly Dashboard[]): Dashboard[] {
  return dashboards.toSorted((one, other) => one.name.localeCompare(other.name, 'en') || (one.id < other.id ? -1 : 1));
}
