import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/app/v1/robot.ts';
import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { LogServiceDefinition } from '../../../proto/gen/core/log/v1/log.ts';
import { serve, type Feature } from '../access/feature.ts';
import { logCalls, type LogCallsOptions } from './log-calls.ts';
import { LogSweeper } from './log-keeper.ts';
import { logService } from './log-service.ts';
import type { LogTime } from './log-time.ts';
import { logUpload, unnumberedUpload } from './log-upload.ts';

export interface LogsOptions extends LogCallsOptions {
  /** Clock for the age of entries. */
  readonly time: LogTime;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Logs of parts, kept for 30 days. */
export function logsFeature(options: LogsOptions): Feature {
  const { store, logs, time, clock, logger } = options;
  const sweeper = new LogSweeper(logs, time, clock, logger);
  return {
    services: [
      serve(LogServiceDefinition, logService(store, logs)),
      serve(AppServiceDefinition, logCalls(options)),
      serve(PartServiceDefinition, logUpload(store, logs, clock)),
      serve(RobotServiceDefinition, unnumberedUpload(store, logs)),
    ],
    close: () => sweeper.close(),
  };
}
