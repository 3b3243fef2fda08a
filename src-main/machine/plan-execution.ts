import type { Plan } from './config/plan/plan.ts';
import type { ResourceGraph } from './graph/resource-graph.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { ModuleManager } from './modules/module-manager.ts';
import type { ModelFiles } from './packages/models/model-files.ts';
import type { Remotes } from './remotes/remotes.ts';

/** Makes all parts of a machine carry out a plan. */
export class PlanExecution {
  readonly #modules: ModuleManager;
  readonly #models: ModelFiles;
  readonly #remotes: Remotes;
  readonly #graph: ResourceGraph;
  readonly #jobs: Jobs;

  constructor(modules: ModuleManager, models: ModelFiles, remotes: Remotes, graph: ResourceGraph, jobs: Jobs) {
    this.#modules = modules;
    this.#models = models;
    this.#remotes = remotes;
    this.#graph = graph;
    this.#jobs = jobs;
  }

  /** Starts before it returns; settles when all resources have settled. */
  readonly execute = (plan: Plan, revision: string): Promise<unknown> => {
    const { to } = plan;
    this.#modules.apply(to.modules);
    this.#models.configure(to.packages);
    this.#remotes.apply(to);
    const done = this.#graph.execute(plan, revision);
    // The plan may have freed names that they can use now.
    this.#graph.adopt(this.#remotes.resources());
    this.#jobs.apply(to.jobs, done);
    return done;
  };
}
