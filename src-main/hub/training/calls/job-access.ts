import type { Caller } from '../../access/caller.ts';
import { organizationPlace } from '../../places/place.ts';
import { noJob, type TrainingJob, type TrainingJobs } from '../jobs/training-jobs.ts';

/** A job that the caller may manage. @throws {ArmatureError} `call.not_found`, `access.denied` */
export async function requireJob(id: string, caller: Caller, jobs: TrainingJobs): Promise<TrainingJob> {
  const job = await jobs.get(id);
  const place = organizationPlace(job.organization_id);
  if (!caller.may('organization.read', place)) throw noJob(id);
  if (!caller.may('training.manage', place)) {
    throw caller.denied('training.manage', { type: 'organization', id: job.organization_id });
  }
  return job;
}
