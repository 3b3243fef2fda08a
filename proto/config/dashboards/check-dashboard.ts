import { Dashboard, type Tile } from '../../gen/core/dashboard/v1/dashboard.ts';
import { encodeMessage } from '../../message.ts';
import {
  COLUMNS,
  MAX_DASHBOARD_BYTES,
  MAX_PLOT_READINGS,
  MAX_ROWS,
  MAX_TILES,
  nameProblem,
} from './dashboard-limits.ts';

const ID = /^[a-z0-9-]{1,40}$/;

/** What is wrong with a dashboard, as a sentence that says what is allowed; '' if nothing. */
export function dashboardProblem(dashboard: Dashboard): string {
  const { id, name, tiles } = dashboard;
  if (!ID.test(id)) return `The id "${shown(id)}" of the dashboard is not allowed: ${allowedId}.`;
  const problem = nameProblem(name);
  if (problem !== '') return problem;
  if (tiles.length > MAX_TILES) {
    return `The dashboard "${name}" has ${tiles.length} tiles; at most ${MAX_TILES} are allowed. Divide it in two.`;
  }
  const seen = new Set<string>();
  for (const [index, tile] of tiles.entries()) {
    const wrong = seen.has(tile.id) ? `its id "${shown(tile.id)}" is that of an earlier tile` : tileProblem(tile);
    if (wrong !== '') return `Tile ${index + 1} of the dashboard "${name}" is not allowed: ${wrong}.`;
    seen.add(tile.id);
  }
  return '';
}

/** Why a dashboard is too large, and what to do; '' if it is not. */
export function sizeProblem(dashboard: Dashboard): string {
  const bytes = encodeMessage(Dashboard, { ...dashboard, revision: '' }).length;
  if (bytes <= MAX_DASHBOARD_BYTES) return '';
  return `The dashboard "${dashboard.name}" has ${bytes} bytes; at most ${MAX_DASHBOARD_BYTES} are kept. Shorten its notes, or divide it in two.`;
}

const allowedId = 'it has 1 to 40 small letters, digits and "-"';

function tileProblem({ id, width, rows, content }: Tile): string {
  if (!ID.test(id)) return `its id is "${shown(id)}", and ${allowedId}`;
  if (width < 1 || width > COLUMNS) return `its width is ${width}, and 1 to ${COLUMNS} columns are allowed`;
  if (rows > MAX_ROWS) return `its height is ${rows} rows, and 0 to ${MAX_ROWS} are allowed`;
  switch (content?.$case) {
    case 'card':
      return content.value.resource === '' ? 'its card names no resource' : '';
    case 'plot': {
      const { readings } = content.value;
      if (readings.length < 1 || readings.length > MAX_PLOT_READINGS)
        return `its plot has ${readings.length} readings, and 1 to ${MAX_PLOT_READINGS} are allowed`;
      return readings.some(({ resource, value }) => resource === '' || value === '')
        ? 'a reading of its plot names no resource or no value'
        : '';
    }
    case 'note':
      return '';
    case undefined:
      return 'it has no card, plot or note; a newer version of the window may have made it';
  }
}

function shown(text: string): string {
  return text.slice(0, 60);
}
