import type { Migration } from 'kysely/migration';
import * as fleet from './0001-fleet.ts';
import * as access from './0002-access.ts';
import * as partVersions from './0003-part-versions.ts';
import * as history from './0004-history.ts';
import * as presence from './0005-presence.ts';
import * as logs from './0006-logs.ts';
import * as presenceGap from './0007-presence-gap.ts';
import * as logReceived from './0008-log-received.ts';
import * as historyFound from './0009-history-found.ts';
import * as registry from './0010-registry.ts';
import * as moduleKeys from './0011-module-keys.ts';
import * as organizationMaker from './0012-organization-maker.ts';
import * as events from './0013-events.ts';
import * as blobs from './0014-blobs.ts';
import * as data from './0015-data.ts';
import * as triggers from './0016-triggers.ts';
import * as packages from './0017-packages.ts';
import * as datasetSnapshots from './0018-dataset-snapshots.ts';
import * as training from './0019-training.ts';
import * as trainingSnapshots from './0020-training-snapshots.ts';
import * as customTraining from './0021-custom-training.ts';
import * as cluster from './0022-cluster.ts';
import * as dashboards from './0023-dashboards.ts';

/**
 * All migrations from an empty store to this program's schema, in order. An entry is never changed, only added:
 * existing stores have run it. It is a list instead of a folder, because the program is bundled.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-fleet': fleet,
  '0002-access': access,
  '0003-part-versions': partVersions,
  '0004-history': history,
  '0005-presence': presence,
  '0006-logs': logs,
  '0007-presence-gap': presenceGap,
  '0008-log-received': logReceived,
  '0009-history-found': historyFound,
  '0010-registry': registry,
  '0011-module-keys': moduleKeys,
  '0012-organization-maker': organizationMaker,
  '0013-events': events,
  '0014-blobs': blobs,
  '0015-data': data,
  '0016-triggers': triggers,
  '0017-packages': packages,
  '0018-dataset-snapshots': datasetSnapshots,
  '0019-training': training,
  '0020-training-snapshots': trainingSnapshots,
  '0021-custom-training': customTraining,
  '0022-cluster': cluster,
  '0023-dashboards': dashboards,
};
